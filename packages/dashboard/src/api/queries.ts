import type { Id } from '@masthead/contract/schemas/fields.ts'
import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query'
import { isProblem } from './client.ts'

export const sessionKey = ['session'] as const

/** The cache for the person and the server, outside any account. */
export const personQueries = createQueries()

const byAccount = new Map<Id<'account'>, QueryClient>()

/** The cache of one account. They are separate, so data never shows up in the wrong account. */
export function queriesOf(account: Id<'account'>): QueryClient {
  const known = byAccount.get(account) ?? createQueries()
  byAccount.set(account, known)
  return known
}

/** Forgets everything that was fetched for someone else. */
export function clearCaches(): void {
  byAccount.clear()
  personQueries.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== sessionKey[0] })
}

export function refetchAll(): void {
  for (const queries of [personQueries, ...byAccount.values()]) {
    void queries.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] !== sessionKey[0] })
  }
}

/** A lost session or membership applies to the whole dashboard, whichever request found out. */
export function followAccess(error: unknown): void {
  if (isProblem(error, 'unauthenticated')) personQueries.setQueryData(sessionKey, null)
  // The new session decides what to show.
  if (isProblem(error, 'wrong_account', 'no_account', 'account_suspended')) {
    void personQueries.invalidateQueries({ queryKey: sessionKey })
  }
}

/** No retries here: the client already retries. */
function createQueries(): QueryClient {
  return new QueryClient({
    queryCache: new QueryCache({ onError: followAccess }),
    mutationCache: new MutationCache({ onError: followAccess }),
    defaultOptions: {
      queries: { retry: false, staleTime: 5_000, networkMode: 'always' },
      mutations: { retry: false, networkMode: 'always' },
    },
  })
}
