import { useQuery } from '@tanstack/react-query'
import { client } from './api.ts'
import { personQueries } from './queries.ts'

/** What this server is and how people join it. */
export function useServer() {
  return useQuery(
    { queryKey: ['server'], queryFn: () => client.getServer(), staleTime: 10_000 },
    personQueries,
  )
}
