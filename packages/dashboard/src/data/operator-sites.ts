import type { OperatorSite } from '@masthead/contract/schemas/operator.ts'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { client } from '../api.ts'
import { usePaged } from './paged.ts'

export function useSites(search: string) {
  return usePaged<OperatorSite>(['operator', 'sites', search], (query) =>
    client.listSites({ query: { ...query, ...(search === '' ? {} : { search }) } }),
    50,
    { keepShown: true },
  )
}

export function useTakeDown(project: OperatorSite['id']) {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: (body: { reason: string; status: 403 | 451 }) =>
      client.takeDownSite({ params: { project }, body }),
    // It may be a site of the account that is acted for, which other pages show.
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
