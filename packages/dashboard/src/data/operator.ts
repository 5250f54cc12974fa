import type { PlanName } from '@masthead/contract/plans.ts'
import type { Account, CustomLimits } from '@masthead/contract/schemas/account.ts'
import type { OperatorAccount, OperatorBan, OperatorCertificate, OperatorPerson, OperatorSite } from '@masthead/contract/schemas/operator.ts'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { client } from '../api/client.ts'
import { usePaged } from './paged.ts'

const operatorKey = ['operator'] as const
const accountsKey = [...operatorKey, 'accounts'] as const
const bansKey = [...operatorKey, 'bans'] as const

/** The stream covers only the current account, so the operator's pages poll. */
const refetchEvery = 10_000

export function useOperatorAccounts(search: string) {
  return usePaged<OperatorAccount>([...accountsKey, search], (query) =>
    client.listAccounts({ query: { ...query, ...(search === '' ? {} : { search }) } }),
    50,
    { keepPrevious: true },
  )
}

export function useCreateAccount() {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: (body: { name: string; plan: PlanName; ownerEmail?: string }) =>
      client.createAccount({ body }),
    onSuccess: () => void queries.invalidateQueries({ queryKey: operatorKey }),
    // The response contains a key's secret: don't keep it in the cache.
    gcTime: 0,
  })
}

export function useInviteOwner(account: Account['id']) {
  return useMutation({
    mutationFn: (email: string) => client.inviteOwner({ params: { account }, body: { email } }),
    // The response contains the link: don't keep it in the cache.
    gcTime: 0,
  })
}

interface AgreedPlan {
  plan: PlanName
  limits?: CustomLimits
}

export function useSetAccountPlan(account: Account['id']) {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: (body: AgreedPlan) => client.setAccountPlan({ params: { account }, body }),
    // It may be the current account, which other pages show.
    onSuccess: () => queries.invalidateQueries(),
  })
}

export function useSuspendAccount(account: Account['id']) {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: (reason: string) => client.suspendAccount({ params: { account }, body: { reason } }),
    onSuccess: () => queries.invalidateQueries({ queryKey: operatorKey }),
  })
}

export function useRestoreAccount(account: Account['id']) {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: () => client.restoreAccount({ params: { account } }),
    onSuccess: () => queries.invalidateQueries({ queryKey: operatorKey }),
  })
}

export function useBans() {
  return usePaged<OperatorBan>(bansKey, (query) => client.listBans({ query }), 50, { refetchEvery })
}

export function useLiftBan(key: OperatorBan['keyId']) {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: () => client.liftBan({ params: { key } }),
    onSuccess: () => queries.invalidateQueries({ queryKey: bansKey }),
  })
}

export function useCertificates({ failingOnly }: { failingOnly: boolean }) {
  return usePaged<OperatorCertificate>([...operatorKey, 'certificates', { failingOnly }], (query) =>
    client.listCertificates({ query: { ...query, failing: failingOnly ? 'true' : 'false' } }),
    50,
    { refetchEvery, keepPrevious: true },
  )
}

export function useHealth() {
  return useQuery({
    queryKey: [...operatorKey, 'health'],
    queryFn: () => client.getHealth(),
    refetchInterval: refetchEvery,
  })
}

export function useOperatorPeople(search: string) {
  return usePaged<OperatorPerson>(['operator', 'people', search], (query) =>
    client.listPeople({ query: { ...query, ...(search === '' ? {} : { search }) } }),
    50,
    { keepPrevious: true },
  )
}

export function useChangeOperator(person: OperatorPerson['id']) {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: (operator: boolean) => client.changeOperator({ params: { person }, body: { operator } }),
    onSuccess: () => queries.invalidateQueries({ queryKey: operatorKey }),
  })
}

export function useResetPasswordOf() {
  return useMutation({
    mutationFn: (person: OperatorPerson['id']) => client.resetPasswordOf({ params: { person } }),
    // The response contains the link: don't keep it in the cache.
    gcTime: 0,
  })
}

export function useSites(search: string) {
  return usePaged<OperatorSite>(['operator', 'sites', search], (query) =>
    client.listSites({ query: { ...query, ...(search === '' ? {} : { search }) } }),
    50,
    { keepPrevious: true },
  )
}

export function useTakeDown(project: OperatorSite['id']) {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: (body: { reason: string; status: 403 | 451 }) =>
      client.takeDownSite({ params: { project }, body }),
    // It may be a site of the current account, which other pages show.
    onSuccess: () => queries.invalidateQueries(),
  })
}

export function useRestoreSite(project: OperatorSite['id']) {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: () => client.restoreSite({ params: { project } }),
    onSuccess: () => queries.invalidateQueries(),
  })
}
