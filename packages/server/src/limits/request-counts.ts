import { day, minute } from '../kernel/clock.ts'
import type { CountRow } from './store.ts'

/**
 * Counts are stored by name: the account id for admitted requests, and further names for each of its keys (per day
 * only) and for rejected requests.
 */
export const nameOfKey = (keyId: string) => `key:${keyId}`
export const nameOfRejections = (accountId: string) => `rejected:${accountId}`

/** True for counts that are compared with a limit. */
export function isLimited(name: string): boolean {
  return !name.startsWith('key:') && !name.startsWith('rejected:')
}

/** We show keys per day only. */
function hasMinutes(name: string): boolean {
  return !name.startsWith('key:')
}

/** Requests in the UTC minute that starts at `start`. */
export interface MinuteCount {
  readonly accountId: string
  readonly start: number
  readonly requests: number
}

/** Of a name and a minute, while nothing can be written. */
const maxKept = 50_000

/** Counts that are not written yet. `add` runs on every request, so it must be fast. */
export class RequestCounts {
  #start = 0
  #end = 0
  #counts = new Uint32Array(1_024)
  #counted: { accountId: string; row: number }[] = []
  #ownRows = new Map<string, number>()
  #finished: MinuteCount[] = []

  /** `row`: the account's row in the limiter's table, if it has one. It saves a Map lookup. */
  add(accountId: string, now: number, row?: number): void {
    if (now >= this.#end || now < this.#start) this.#startMinute(now)
    this.#addTo(row ?? this.#ownRow(accountId), accountId)
  }

  /** Returns all counts and removes them. */
  take(): MinuteCount[] {
    this.#startMinute(this.#start)
    const taken = this.#finished
    this.#finished = []
    return taken
  }

  /** What could not be written is kept, in bounded memory: each failed write would add an entry per name otherwise. */
  putBack(counts: readonly MinuteCount[]): void {
    const all = [...counts, ...this.#finished]
    const byMinute = merge(all, ({ start }) => start)
    // A limit per day matters more than which minute a chart shows.
    const byDay = byMinute.length > maxKept ? merge(all, dayOf) : byMinute
    this.#finished = byDay.slice(0, maxKept)
  }

  #addTo(row: number, accountId: string): void {
    if (row >= this.#counts.length) this.#grow(row)
    const before = this.#counts[row] as number
    this.#counts[row] = before + 1
    if (before === 0) this.#counted.push({ accountId, row })
  }

  #startMinute(now: number): void {
    for (const { accountId, row } of this.#counted) {
      this.#finished.push({ accountId, start: this.#start, requests: this.#counts[row] as number })
      this.#counts[row] = 0
    }
    this.#counted = []
    this.#ownRows.clear()
    this.#start = Math.floor(now / minute) * minute
    this.#end = this.#start + minute
  }

  #ownRow(accountId: string): number {
    const known = this.#ownRows.get(accountId)
    if (known !== undefined) return known
    const row = this.#ownRows.size
    this.#ownRows.set(accountId, row)
    return row
  }

  #grow(row: number): void {
    const grown = new Uint32Array(2 ** Math.ceil(Math.log2(row + 1)))
    grown.set(this.#counts)
    this.#counts = grown
  }
}

function dayOf({ start }: MinuteCount): number {
  return Math.floor(start / day) * day
}

/** Adds up the counts of a name within a period, in the minute of the first of them. */
function merge(counts: readonly MinuteCount[], periodOf: (count: MinuteCount) => number): MinuteCount[] {
  const merged = new Map<string, MinuteCount>()
  for (const count of counts) {
    const key = `${count.accountId} ${periodOf(count)}`
    const first = merged.get(key)
    merged.set(key, first === undefined ? count : { ...first, requests: first.requests + count.requests })
  }
  return [...merged.values()]
}

/** One row per minute and one per day, without duplicates, and sorted so that processes cannot deadlock. */
export function toRows(counts: readonly MinuteCount[]): CountRow[] {
  const rows = new Map<string, CountRow>()
  const add = (account_id: string, unit: CountRow['unit'], start: number, requests: number) => {
    const key = `${account_id} ${unit} ${start}`
    rows.set(key, { account_id, unit, start, requests: requests + (rows.get(key)?.requests ?? 0) })
  }
  for (const count of counts) {
    const { accountId, start, requests } = count
    if (hasMinutes(accountId)) add(accountId, 'minute', start, requests)
    add(accountId, 'day', dayOf(count), requests)
  }
  return [...rows].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row)
}
