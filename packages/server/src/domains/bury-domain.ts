import type { Tx } from '../database/database.ts'
import { type EventActor, recordEvent } from '../events/record-event.ts'
import type { DomainRow } from './domain.ts'
import { deleteDomain } from './store.ts'
import { putTombstone } from './tombstone-store.ts'

/** Removes a domain and leaves a tombstone: DNS may point here for long, and must be worth nothing to a stranger. */
export async function buryDomain(tx: Tx, row: DomainRow, by: EventActor, at: number): Promise<void> {
  const { account_id, project_id, hostname, target, challenge } = row
  const held_at = row.held === 1 ? (row.verified_at ?? at) : null
  await putTombstone(tx, { hostname, account_id, target, challenge, held_at, removed_at: at })
  await deleteDomain(tx, row.id)
  const event = { accountId: account_id, projectId: project_id, by, at }
  await recordEvent(tx, { ...event, type: 'domain.removed', data: { hostname } })
}
