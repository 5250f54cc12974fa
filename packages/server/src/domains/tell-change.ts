import type { DomainState } from '@masthead/contract/domain-states.ts'
import type { EventType } from '@masthead/contract/events.ts'
import type { TimelineKind } from '@masthead/contract/timeline.ts'
import type { Tx } from '../database/database.ts'
import { type EventActor, recordEvent } from '../events/record-event.ts'
import type { DomainRow } from './domain.ts'
import { recordTimeline } from './timeline.ts'

export const system: EventActor = { kind: 'system', id: null, name: 'Masthead' }

interface Telling {
  kind: TimelineKind
  event: EventType | null
}

/** What the timeline and the account's activity say when a check, or the wish for one, changes the state. */
const tellings: Partial<Record<DomainState, Partial<Record<DomainState, Telling>>>> = {
  pending: {
    verified: { kind: 'verified', event: 'domain.verified' },
    failed: { kind: 'failed', event: 'domain.failed' },
  },
  verified: { pending: { kind: 'unverified', event: null } },
  live: { drifted: { kind: 'drifted', event: 'domain.drifted' } },
  drifted: { live: { kind: 'recovered', event: 'domain.recovered' } },
  failed: { pending: { kind: 'restarted', event: null } },
}

export async function tellChange(
  tx: Tx,
  before: DomainState,
  row: Pick<DomainRow, 'id' | 'account_id' | 'project_id' | 'hostname' | 'state'>,
  { by, at }: { by: EventActor; at: number },
): Promise<void> {
  const telling = tellings[before]?.[row.state]
  if (telling === undefined) return
  await recordTimeline(tx, { domainId: row.id, kind: telling.kind, at, by })
  if (telling.event === null) return
  const { account_id: accountId, project_id: projectId, hostname } = row
  await recordEvent(tx, { accountId, projectId, type: telling.event, by, at, data: { hostname } })
}
