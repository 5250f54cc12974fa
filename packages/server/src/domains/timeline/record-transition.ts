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

/** What the timeline and the account's activity record when a check changes the state. */
const transitionRecords: Partial<Record<DomainState, Partial<Record<DomainState, TransitionRecord>>>> = {
  pending: {
    prepared: { kind: 'prepared', event: null },
    verified: { kind: 'verified', event: 'domain.verified' },
    failed: { kind: 'failed', event: 'domain.failed', reason: 'dns' },
  },
  prepared: {
    pending: { kind: 'unprepared', event: null },
    verified: { kind: 'verified', event: 'domain.verified' },
    failed: { kind: 'certificate_refused', event: 'domain.failed', reason: 'certificate_refused' },
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
  const record = transitionRecords[before]?.[row.state]
  if (record === undefined) return
  await recordTimeline(tx, { domain: row, kind: record.kind, at, by, data })
  if (record.event === null) return
  const { account_id: accountId, project_id: projectId, hostname } = row
  const reason = record.reason === undefined ? {} : { reason: record.reason }
  const event = { accountId, projectId, type: record.event, by, at }
  await recordEvent(tx, { ...event, data: { hostname, ...reason, ...data } })
}
