import type { DomainState, TimelineKind } from '@masthead/contract/domains/states.ts'
import type { EventType } from '@masthead/contract/events.ts'
import type { Tx } from '../../database/database.ts'
import { type EventActor, recordEvent } from '../../events/record-event.ts'
import type { DomainRow } from '../domain.ts'
import { recordTimeline } from './timeline.ts'

interface TransitionRecord {
  kind: TimelineKind
  event: EventType | null
  /** Which of several causes, for the event. */
  reason?: string
}

/** What the timeline and the account's activity say when the state changes by itself or by the wish for a check. */
const transitionRecords: Partial<Record<DomainState, Partial<Record<DomainState, TransitionRecord>>>> = {
  pending: {
    verified: { kind: 'verified', event: 'domain.verified' },
    failed: { kind: 'failed', event: 'domain.failed', reason: 'dns' },
  },
  verified: {
    pending: { kind: 'unverified', event: null },
    live: { kind: 'live', event: 'domain.live' },
    failed: { kind: 'certificate_refused', event: 'domain.failed', reason: 'certificate_refused' },
  },
  live: {
    drifted: { kind: 'drifted', event: 'domain.drifted' },
    verified: { kind: 'certificate_expired', event: null },
  },
  drifted: {
    live: { kind: 'recovered', event: 'domain.recovered' },
    failed: { kind: 'certificate_expired', event: 'domain.failed', reason: 'certificate_expired' },
  },
  failed: { pending: { kind: 'restarted', event: null } },
}

export async function recordTransition(
  tx: Tx,
  before: DomainState,
  row: Pick<DomainRow, 'id' | 'account_id' | 'project_id' | 'hostname' | 'state'>,
  { by, at, data = {} }: { by: EventActor; at: number; data?: Record<string, unknown> },
): Promise<void> {
  const telling = transitionRecords[before]?.[row.state]
  if (telling === undefined) return
  await recordTimeline(tx, { domain: row, kind: telling.kind, at, by, data })
  if (telling.event === null) return
  const { account_id: accountId, project_id: projectId, hostname } = row
  const because = telling.reason === undefined ? {} : { reason: telling.reason }
  const event = { accountId, projectId, type: telling.event, by, at }
  await recordEvent(tx, { ...event, data: { hostname, ...because, ...data } })
}
