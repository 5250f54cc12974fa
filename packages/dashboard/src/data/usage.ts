import { useQuery } from '@tanstack/react-query'
import { useClient } from '../api/use-client.ts'
import { usageRefetchInterval } from './usage-refetch.ts'

const usageKey = ['usage'] as const

/** The stream does not report requests, so a page that shows live figures polls. */
export function useUsage({ poll }: { poll: boolean }) {
  const client = useClient()
  return useQuery({
    queryKey: usageKey,
    queryFn: () => client.getUsage(),
    refetchInterval: ({ state: { data } }) => poll && usageRefetchInterval(data, Date.now()),
  })
}
