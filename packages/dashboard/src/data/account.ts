import type { PlanName } from '@masthead/contract/plans.ts'
import type { Account } from '@masthead/contract/schemas/account.ts'
import type { Session } from '@masthead/contract/schemas/people.ts'
import { type QueryClient, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { client } from '../api.ts'
import { sessionKey } from '../session.ts'

export const accountKey = ['account'] as const

/** The account that is acted for. The session knows it as it was at sign-in; this one is kept up to date. */
export function useAccount() {
  const queries = useQueryClient()
  return useQuery({
    queryKey: accountKey,
    queryFn: () => client.getAccount(),
    placeholderData: () => queries.getQueryData<Session>(sessionKey)?.account ?? undefined,
  })
}

interface PlanChoice {
  plan: PlanName
  suspendDomains: boolean
}

export function useChangePlan() {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: (body: PlanChoice) => client.changePlan({ body }),
    onSuccess: (account) => takeAccount(queries, account),
  })
}

export function useRenameAccount() {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: (name: string) => client.renameAccount({ body: { name } }),
    onSuccess: (account) => takeAccount(queries, account),
  })
}

/** Puts the account as the API just told it wherever it is shown, the switcher at the top included. */
function takeAccount(queries: QueryClient, account: Account): void {
  queries.setQueryData(accountKey, account)
  queries.setQueryData<Session | null>(sessionKey, (session) => {
    if (!session) return session
    const named = (each: Session['accounts'][number]) =>
      each.id === account.id ? { ...each, name: account.name } : each
    return { ...session, account, accounts: session.accounts.map(named) }
  })
  void queries.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] !== sessionKey[0] })
}
