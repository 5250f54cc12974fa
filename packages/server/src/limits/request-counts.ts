import { day, minute } from '../kernel/clock.ts'
import type { CountRow } from './store.ts'

/**
 * Counts are kept under names: an account's admitted requests under its id, and beside them those of each of its keys,
 * for the day, and what was rejected.
 */
export const nameOfKey = (keyId: string) => `key:${keyId}`
export const nameOfRejections = (accountId: string) => `rejected:${accountId}`

/** Whether a day's count is one that a limit is held against. */
export function isLimited(name: string): boolean {
  return !name.startsWith('key:') && !name.startsWith('rejected:')
}

/** Minutes of single keys are shown nowhere. */
function hasMinutes(name: string): boolean {
  return !name.startsWith('key:')
}

/** Admitted requests of an account in the UTC minute that starts at `start`. */
export interface MinuteCount {
  readonly accountId: string
  readonly start: number
  readonly requests: number
}

/** Counts that are not written yet. Adding is on the path of every request. */
export class RequestCounts {
  #start = 0
  #end = 0
  #counts = new Uint32Array(1_024)
  #counted: { accountId: string; row: number }[] = []
  #ownRows = new Map<string, number>()
  #earlier: MinuteCount[] = []

  /** `row`: a small number of the account's own, for those who have one at hand; it saves a look into a Map. */
  add(accountId: string, now: number, row?: number): void {
    if (now >= this.#end || now < this.#start) this.#turnTo(now)
    this.#addTo(row ?? this.#ownRow(accountId), accountId)
  }

  /** Everything so far, which is then no longer here. */
  take(): MinuteCount[] {
    this.#turnTo(this.#start)
    const taken = this.#earlier
    this.#earlier = []
    return taken
  }

  putBack(counts: readonly MinuteCount[]): void {
    this.#earlier = this.#earlier.concat(counts)
  }

  #addTo(row: number, accountId: string): void {
    if (row >= this.#counts.length) this.#grow(row)
    const before = this.#counts[row] as number
    this.#counts[row] = before + 1
    if (before === 0) this.#counted.push({ accountId, row })
  }

  #turnTo(now: number): void {
    for (const { accountId, row } of this.#counted) {
      this.#earlier.push({ accountId, start: this.#start, requests: this.#counts[row] as number })
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

/** A row for the minute and one for the day, each once, and in an order in which processes cannot block each other. */
export function toRows(counts: readonly MinuteCount[]): CountRow[] {
  const rows = new Map<string, CountRow>()
  const add = (account_id: string, unit: CountRow['unit'], start: number, requests: number) => {
    const key = `${account_id} ${unit} ${start}`
    rows.set(key, { account_id, unit, start, requests: requests + (rows.get(key)?.requests ?? 0) })
  }
  for (const { accountId, start, requests } of counts) {
    if (hasMinutes(accountId)) add(accountId, 'minute', start, requests)
    add(accountId, 'day', Math.floor(start / day) * day, requests)
  }
  return [...rows].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row)
}
