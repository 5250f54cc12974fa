import type { PlanName } from '@masthead/contract/plans.ts'
import type { Account } from '@masthead/contract/schemas/account.ts'
import type { Session } from '@masthead/contract/schemas/people.ts'
import { type QueryClient, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useClient } from '../api/use-client.ts'
import { personQueries, sessionKey } from '../api/queries.ts'

const accountKey = ['account'] as const

/** The account of the current page. */
export function useAccount() {
  const client = useClient()
  return useQuery({ queryKey: accountKey, queryFn: () => client.getAccount() })
}

interface PlanChoice {
  plan: PlanName
  suspendDomains: boolean
}

export function useChangePlan() {
  const client = useClient()
  const queries = useQueryClient()
  return useMutation({
    mutationFn: (body: PlanChoice) => client.changePlan({ body }),
    onSuccess: (account) => cacheAccount(queries, account),
  })
}

export function useRenameAccount() {
  const client = useClient()
  const queries = useQueryClient()
  return useMutation({
    mutationFn: (name: string) => client.renameAccount({ body: { name } }),
    onSuccess: (account) => cacheAccount(queries, account),
  })
}

/** Updates the account everywhere, including the switcher at the top. */
function cacheAccount(queries: QueryClient, account: Account): void {
  queries.setQueryData(accountKey, account)
  personQueries.setQueryData<Session | null>(sessionKey, (session) => {
    if (!session) return session
    const named = (each: Session['accounts'][number]) =>
      each.id === account.id ? { ...each, name: account.name } : each
    return { ...session, accounts: session.accounts.map(named) }
  })
  void queries.invalidateQueries()
}

export function useDeleteAccount() {
  const client = useClient()
  return useMutation({
    mutationFn: ({ name, removeDomains }: { name: string; removeDomains: boolean }) =>
      client.deleteAccount({ query: { name, removeDomains: removeDomains ? 'true' : 'false' } }),
  })
}
