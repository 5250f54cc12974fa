import { createHash } from 'node:crypto'
import { type TimelineKind, timelineKinds } from '@masthead/contract/domains/states.ts'
import type { DnsCheck } from '@masthead/contract/schemas/domains/dns-check.ts'
import type { TimelineEntry } from '@masthead/contract/schemas/domains/domain.ts'
import type { Page } from '@masthead/contract/schemas/fields.ts'
import type { Context, Tx } from '../../database/database.ts'
import { type PageRequest, readCursor, toPage } from '../../database/list-query.ts'
import { type EventActor, noteAccountChange } from '../../events/record-event.ts'
import { day, isoTime } from '../../kernel/clock.ts'
import { newId } from '../../kernel/ids.ts'
import {
  deleteTimelineBefore,
  insertTimelineRow,
  keepNewest,
  keepNewestRemoved,
  type NameOfAccount,
  setRemoved,
  type TimelineRow,
  timelineBefore,
  updateTimelineRow,
} from './store.ts'

/** A zone whose answers keep changing must not fill the database. */
const maxRows = 1_000
/** Nor must an account that keeps adding and removing names. */
const maxRowsOfRemoved = 5_000

export interface TimelineInput {
  domain: NameOfAccount
  kind: TimelineKind
  at: number
  by: EventActor
  check?: DnsCheck
  data?: Record<string, unknown>
  /** Fingerprint of an entry that may repeat and is not a check. A repetition is counted instead of added. */
  sameAs?: string
}

/** Kinds that the system repeats on its own. */
const repeated: readonly TimelineKind[] = ['checked', 'certificate_problem', 'probe_failed']

/** Adds an entry, or counts it if it repeats the previous one by the same actor. */
export async function recordTimeline(tx: Tx, input: TimelineInput): Promise<void> {
  const { domain, kind, at, by, check, data = {}, sameAs } = input
  noteAccountChange(tx, domain.account_id)
  const fingerprint = check === undefined ? (sameAs ?? null) : fingerprintOf(check)
  const result = check === undefined ? null : JSON.stringify(check)
  if (repeated.includes(kind)) {
    const last = await lastOfKind(tx, domain, kind)
    if (last !== undefined && last.fingerprint === fingerprint && isBy(last, by)) {
      const change = { last_at: at, times: last.times + 1, check_result: result, data: JSON.stringify(data) }
      await updateTimelineRow(tx, last.id, change)
      return
    }
  }
  await insertTimelineRow(tx, {
    id: newId('event', at),
    account_id: domain.account_id,
    hostname: domain.hostname,
    removed: 0,
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
  await keepNewest(tx, domain, { kept: maxRows, goesFirst: repeated })
}

/** Records the removal of the name. Its entries are kept in case the account adds it again. */
export async function closeTimeline(
  tx: Tx,
  removal: Pick<TimelineInput, 'domain' | 'by' | 'at'>,
): Promise<void> {
  await recordTimeline(tx, { ...removal, kind: 'removed' })
  await setRemoved(tx, removal.domain, 1)
  await keepNewestRemoved(tx, removal.domain.account_id, maxRowsOfRemoved)
}

/** Records that the account added the name, and restores its earlier entries. */
export async function openTimeline(
  tx: Tx,
  adding: Pick<TimelineInput, 'domain' | 'by' | 'at'>,
): Promise<void> {
  await setRemoved(tx, adding.domain, 0)
  await recordTimeline(tx, { ...adding, kind: 'added' })
}

function isBy({ actor_kind, actor_id }: TimelineRow, { kind, id }: EventActor): boolean {
  return actor_kind === kind && actor_id === id
}

/** The last entry of this kind, unless something that does not repeat happened since. */
async function lastOfKind(
  tx: Tx,
  domain: NameOfAccount,
  kind: TimelineKind,
): Promise<TimelineRow | undefined> {
  const rows = await timelineBefore(tx, domain, undefined, repeated.length)
  const since = rows.findIndex((row) => row.kind === kind || !repeated.includes(row.kind))
  return rows[since]?.kind === kind ? rows[since] : undefined
}

export async function listTimeline(
  { database }: Pick<Context, 'database'>,
  domain: NameOfAccount,
  { cursor, limit }: PageRequest,
): Promise<Page<TimelineEntry>> {
  const rows = await timelineBefore(database.read, domain, readCursor(cursor), limit + 1)
  return toPage(rows, limit, (row) => row.id, toEntry)
}

/** Equal for checks with the same findings and answers, whatever their order and TTLs. */
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
    message: messageOf(row.kind),
    at: isoTime(row.at),
    lastAt: isoTime(row.last_at),
    times: row.times,
    by: { kind: row.actor_kind, id: row.actor_id, name: row.actor_name },
    check: row.check_result === null ? null : (JSON.parse(row.check_result) as DnsCheck),
    data: JSON.parse(row.data) as Record<string, unknown>,
  }
}

/** Of an unknown kind during an update, or after one that was taken back. */
function messageOf(kind: string): string {
  const messages: Partial<Record<string, string>> = timelineKinds
  return messages[kind] ?? 'A newer version of this server recorded something that this one does not know'
}

const keptFor = 90 * day
/** On SQLite, everything else waits for a batch, and a check may have thousands of characters. */
const removedAtOnce = 200

/** Deletes old entries. Returns whether there may be more. */
export async function pruneTimeline({ database, now }: Context): Promise<boolean> {
  const removed = await database.writeUnsynced((tx) =>
    deleteTimelineBefore(tx, now() - keptFor, removedAtOnce),
  )
  return removed === removedAtOnce
}
