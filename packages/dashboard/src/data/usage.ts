import { useQuery } from '@tanstack/react-query'
import { useClient } from '../api/use-client.ts'
import { usageRefetchInterval } from './usage-refetch.ts'

export const usageKey = ['usage'] as const

/** The stream does not tell of requests: whoever shows the figures as they grow reads them again and again. */
export function useUsage({ asItGrows }: { asItGrows: boolean }) {
  const client = useClient()
  return useQuery({
    queryKey: usageKey,
    queryFn: () => client.getUsage(),
    refetchInterval: ({ state: { data } }) => asItGrows && usageRefetchInterval(data, Date.now()),
  })
}
