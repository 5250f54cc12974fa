import type { Id } from '@masthead/contract/schemas/fields.ts'
import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query'
import { isProblem } from './client.ts'

export const sessionKey = ['session'] as const

/** What is about the person and the server: the session, and what asks for them before an account is known. */
export const personQueries = createQueries()

const byAccount = new Map<Id<'account'>, QueryClient>()

/** What was read in one account. Each has a cache of its own, so that nothing is ever shown in another. */
export function queriesOf(account: Id<'account'>): QueryClient {
  const known = byAccount.get(account) ?? createQueries()
  byAccount.set(account, known)
  return known
}

/** What was read for somebody else is forgotten. */
export function clearCaches(): void {
  byAccount.clear()
  personQueries.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== sessionKey[0] })
}

export function refetchAll(): void {
  for (const queries of [personQueries, ...byAccount.values()]) {
    void queries.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] !== sessionKey[0] })
  }
}

/** The client repeats what is worth repeating; a session or a membership that is lost anywhere is lost everywhere. */
function createQueries(): QueryClient {
  const onError = (error: unknown) => {
    if (isProblem(error, 'unauthenticated')) personQueries.setQueryData(sessionKey, null)
    // The session tells what to do about it.
    if (isProblem(error, 'wrong_account', 'no_account', 'account_suspended')) {
      void personQueries.invalidateQueries({ queryKey: sessionKey })
    }
  }
  return new QueryClient({
    queryCache: new QueryCache({ onError }),
    mutationCache: new MutationCache({ onError }),
    defaultOptions: {
      queries: { retry: false, staleTime: 5_000, networkMode: 'always' },
      mutations: { retry: false, networkMode: 'always' },
    },
  })
}
