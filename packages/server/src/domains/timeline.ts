import { createHash } from 'node:crypto'
import type { Id } from '@masthead/contract/ids.ts'
import type { DnsCheck, TimelineEntry } from '@masthead/contract/schemas/domain.ts'
import type { Page } from '@masthead/contract/schemas/page.ts'
import { type TimelineKind, timelineKinds } from '@masthead/contract/timeline.ts'
import { isoTime } from '../clock.ts'
import type { Context } from '../database/context.ts'
import type { Tx } from '../database/database.ts'
import { type PageRequest, readCursor, toPage } from '../database/page.ts'
import { noteAccountChange } from '../events/account-changes.ts'
import type { EventActor } from '../events/record-event.ts'
import { newId } from '../ids.ts'
import type { DomainRow } from './domain.ts'
import {
  insertTimelineRow,
  keepNewest,
  type TimelineRow,
  timelineBefore,
  updateTimelineRow,
} from './timeline-store.ts'

/** A zone that answers differently every time must not fill the database. */
const mostRows = 1_000

export interface Happening {
  domain: Pick<DomainRow, 'id' | 'account_id'>
  kind: TimelineKind
  at: number
  by: EventActor
  check?: DnsCheck
  data?: Record<string, unknown>
  /** For what may be repeated for long beside a check: the same again is counted. */
  sameAs?: string
}

/** What goes on by itself, time and again. */
const repeated: readonly TimelineKind[] = ['checked', 'certificate_problem', 'probe_failed']

/** Notes what happened to a domain. What happened just so the time before is counted, not repeated. */
export async function recordTimeline(tx: Tx, happening: Happening): Promise<void> {
  const { domain, kind, at, by, check, data = {}, sameAs } = happening
  const domainId = domain.id
  noteAccountChange(tx, domain.account_id)
  const fingerprint = check === undefined ? (sameAs ?? null) : fingerprintOf(check)
  const result = check === undefined ? null : JSON.stringify(check)
  if (repeated.includes(kind)) {
    const last = await lastOfKind(tx, domainId, kind)
    if (last !== undefined && last.fingerprint === fingerprint) {
      const change = { last_at: at, times: last.times + 1, check_result: result, data: JSON.stringify(data) }
      await updateTimelineRow(tx, last.id, change)
      return
    }
  }
  await insertTimelineRow(tx, {
    id: newId('event', at),
    domain_id: domainId,
    kind,
    at,
    last_at: at,
    times: 1,
    actor_kind: by.kind,
    actor_id: by.id,
    actor_name: by.name,
    fingerprint,
    check_result: result,
    data: JSON.stringify(data),
  })
  await keepNewest(tx, domainId, mostRows)
}

/** The last one, unless something else happened since that does not repeat itself. */
async function lastOfKind(
  tx: Tx,
  domainId: Id<'domain'>,
  kind: TimelineKind,
): Promise<TimelineRow | undefined> {
  const rows = await timelineBefore(tx, domainId, undefined, repeated.length)
  const since = rows.findIndex((row) => row.kind === kind || !repeated.includes(row.kind))
  return rows[since]?.kind === kind ? rows[since] : undefined
}

export async function listTimeline(
  { database }: Pick<Context, 'database'>,
  domainId: Id<'domain'>,
  { cursor, limit }: PageRequest,
): Promise<Page<TimelineEntry>> {
  const rows = await timelineBefore(database.read, domainId, readCursor(cursor), limit + 1)
  return toPage(rows, limit, (row) => row.id, toEntry)
}

/** The same for checks that found the same, whatever the order of the answers and the age of their TTLs. */
function fingerprintOf({ outcome, findings, nameservers }: DnsCheck): string {
  const codes = findings.map(({ code }) => code)
  const seen = nameservers.flatMap(({ name, answers }) =>
    answers.map(({ type, value }) => `${name} ${type} ${value}`),
  )
  const facts = JSON.stringify([outcome, distinct(codes), distinct(seen)])
  return createHash('sha256').update(facts).digest('base64url')
}

function distinct(values: string[]): string[] {
  return [...new Set(values)].sort()
}

function toEntry(row: TimelineRow): TimelineEntry {
  return {
    kind: row.kind,
    message: timelineKinds[row.kind],
    at: isoTime(row.at),
    lastAt: isoTime(row.last_at),
    times: row.times,
    by: { kind: row.actor_kind, id: row.actor_id, name: row.actor_name },
    check: row.check_result === null ? null : (JSON.parse(row.check_result) as DnsCheck),
    data: JSON.parse(row.data) as Record<string, unknown>,
  }
}
