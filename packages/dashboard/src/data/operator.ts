import type { PlanName } from '@masthead/contract/plans.ts'
import type { Account, AgreedLimits } from '@masthead/contract/schemas/account.ts'
import type { OperatorAccount, OperatorBan, OperatorCertificate } from '@masthead/contract/schemas/operator.ts'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { client } from '../api.ts'
import { usePaged } from './paged.ts'

const operatorKey = ['operator'] as const
const accountsKey = [...operatorKey, 'accounts'] as const
const bansKey = [...operatorKey, 'bans'] as const

/** The stream tells of the account that is acted for; what happens to others is read again now and then. */
const readAgainEvery = 10_000

export function useOperatorAccounts(search: string) {
  return usePaged<OperatorAccount>([...accountsKey, search], (query) =>
    client.listAccounts({ query: { ...query, ...(search === '' ? {} : { search }) } }),
    50,
    { keepShown: true },
  )
}

export function useCreateAccount() {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: (body: { name: string; plan: PlanName; ownerEmail?: string }) =>
      client.createAccount({ body }),
    onSuccess: () => void queries.invalidateQueries({ queryKey: operatorKey }),
    // The answer holds the secret of a key: it is shown once and not kept.
    gcTime: 0,
  })
}

interface AgreedPlan {
  plan: PlanName
  limits?: AgreedLimits
}

export function useSetAccountPlan(account: Account['id']) {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: (body: AgreedPlan) => client.setAccountPlan({ params: { account }, body }),
    // It may be the account that is acted for, which other pages show.
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
  return usePaged<OperatorBan>(bansKey, (query) => client.listBans({ query }), 50, { readAgainEvery })
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
    { readAgainEvery, keepShown: true },
  )
}

export function useHealth() {
  return useQuery({
    queryKey: [...operatorKey, 'health'],
    queryFn: () => client.getHealth(),
    refetchInterval: readAgainEvery,
  })
}
