import { minute } from '../kernel/clock.ts'
import { nothingUsed, type WindowUsage } from './usage.ts'

const firstCapacity = 1_024
/** Two resets as floats and two counts as integers, next to each other: a decision touches one cache line. */
const floatsPerRow = 3
/** By then, everything recorded under the row's number has been written. */
const idleFor = minute

/** Stores the usage of many callers compactly: a Map from caller to row of a flat array. */
export class UsageTable {
  readonly #maxCallers: number
  readonly #rows = new Map<string, number>()
  readonly #free: number[] = []
  #used = 0
  #floats = new Float64Array(firstCapacity * floatsPerRow)
  #integers = new Int32Array(this.#floats.buffer)
  #visit = this.#rows.entries()
  /**
   * Goes on from the last caller that was removed for being the oldest. To start at the front would mean to pass over the
   * gaps of all of them, until the map is laid out again. Not for longer than a round of visits: as long as an iterator
   * stands still, V8 keeps every layout that the map has had since.
   */
  #oldest: MapIterator<[string, number]> | null = null

  /** Beyond `maxCallers`, the oldest entry is removed first. */
  constructor(maxCallers = Number.POSITIVE_INFINITY) {
    this.#maxCallers = maxCallers
  }

  get size(): number {
    return this.#rows.size
  }

  /** The caller's row; a new caller gets a row of zeros. Valid until callers are removed. */
  rowOf(caller: string): number {
    return this.#rows.get(caller) ?? this.#add(caller)
  }

  find(caller: string): WindowUsage | undefined {
    const row = this.#rows.get(caller)
    return row === undefined ? undefined : this.read(row)
  }

  read(row: number): WindowUsage {
    const floats = this.#floats
    const integers = this.#integers
    const at = row * floatsPerRow
    return {
      minuteUsed: integers[at * 2 + 4] as number,
      minuteResetAt: floats[at] as number,
      dayUsed: integers[at * 2 + 5] as number,
      dayResetAt: floats[at + 1] as number,
    }
  }

  write(row: number, usage: WindowUsage): void {
    const floats = this.#floats
    const integers = this.#integers
    const at = row * floatsPerRow
    integers[at * 2 + 4] = usage.minuteUsed
    floats[at] = usage.minuteResetAt
    integers[at * 2 + 5] = usage.dayUsed
    floats[at + 1] = usage.dayResetAt
  }

  /** Checks the next `count` callers, round-robin, and removes those whose windows ended a while ago. */
  forgetIdle(now: number, count: number): void {
    for (let visited = 0; visited < count; visited++) {
      const { value, done } = this.#visit.next()
      if (done) {
        this.#visit = this.#rows.entries()
        this.#oldest = null
        return
      }
      const [caller, row] = value
      const { minuteResetAt, dayResetAt } = this.read(row)
      if (now >= Math.max(minuteResetAt, dayResetAt) + idleFor) this.#remove(caller, row)
    }
  }

  #add(caller: string): number {
    if (this.#rows.size >= this.#maxCallers) this.#removeFirst()
    const row = this.#free.pop() ?? this.#used++
    if (row * floatsPerRow === this.#floats.length) this.#grow()
    this.#rows.set(caller, row)
    return row
  }

  #removeFirst(): void {
    this.#oldest ??= this.#rows.entries()
    const { value, done } = this.#oldest.next()
    if (done) this.#oldest = null
    else this.#remove(...value)
  }

  #remove(caller: string, row: number): void {
    this.#rows.delete(caller)
    this.write(row, nothingUsed)
    this.#free.push(row)
  }

  #grow(): void {
    const grown = new Float64Array(this.#floats.length * 2)
    grown.set(this.#floats)
    this.#floats = grown
    this.#integers = new Int32Array(grown.buffer)
  }
}
