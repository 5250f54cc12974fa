import type { EventKind } from '@masthead/contract/events.ts'
import type { AccountEvent } from '@masthead/contract/schemas/account.ts'
import { useClient } from '../api/use-client.ts'
import { usePaged } from './paged.ts'

export interface ActivityFilter {
  kind?: EventKind | undefined
  /** Id or slug. */
  project?: string | undefined
}

export function useEvents({ kind, project }: ActivityFilter) {
  const client = useClient()
  return usePaged<AccountEvent>(['events', { kind, project }], (query) =>
    client.listEvents({ query: { ...query, kind, project } }),
  )
}
