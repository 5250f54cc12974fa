import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query'
import { isProblem } from './api.ts'
import { sessionKey } from './session.ts'

/** The client repeats what is worth repeating; a session that is lost anywhere is lost everywhere. */
export function createQueries(): QueryClient {
  const onError = (error: unknown) => {
    if (isProblem(error, 'unauthenticated')) queries.setQueryData(sessionKey, null)
    // The session tells what to do about it.
    if (isProblem(error, 'no_account', 'account_suspended')) {
      void queries.invalidateQueries({ queryKey: sessionKey })
    }
  }
  const queries = new QueryClient({
    queryCache: new QueryCache({ onError }),
    mutationCache: new MutationCache({ onError }),
    defaultOptions: {
      queries: { retry: false, staleTime: 5_000, networkMode: 'always' },
      mutations: { retry: false, networkMode: 'always' },
    },
  })
  return queries
}
