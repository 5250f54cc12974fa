import { setImmediate as nextTick } from 'node:timers/promises'
import { type Context, lock } from '../database/database.ts'
import { day, hour, second } from '../kernel/clock.ts'
import { type BanState, initialBanState } from './ban.ts'
import { type Count, fillHistory, historyStart } from './history.ts'
import { banRule, type Window } from './policy.ts'
import {
  isLimited,
  type MinuteCount,
  nameOfKey,
  nameOfRejections,
  RequestCounts,
  toRows,
} from './request-counts.ts'
import * as store from './store.ts'

/** A crash may lose one second of counts. Writing takes time too, so this is less. */
const writeEvery = 0.75 * second
/** Larger transactions would block other writers for too long. */
const accountsPerTransaction = 1_024
/** Old counts are deleted in batches, for the same reason. */
const removedAtOnce = 500

export interface JournalLog {
  warn(details: object, message: string): void
}

/** Persists counts and bans in the database, once a second and on close. */
export class Journal {
  /** Counts every admitted request. */
  readonly counts = new RequestCounts()
  /**
   * Requests per key, and rejected requests. Separate, because these names have no row in the limiter's usage table.
   */
  readonly #details = new RequestCounts()
  readonly #context: Context
  readonly #log: JournalLog
  readonly #timer: NodeJS.Timeout
  #bans = new Map<string, store.BanRow | null>()
  #writing: Promise<void> = Promise.resolve()
  #next: Promise<void> | null = null
  #failing = false
  #cleanUpAt = 0

  constructor(context: Context, log: JournalLog) {
    this.#context = context
    this.#log = log
    this.#timer = setInterval(() => void this.flush().catch(() => {}), writeEvery)
    this.#timer.unref()
  }

  /** Counts a request of a key, in addition to `counts`. */
  countKey(keyId: string, at: number): void {
    this.#details.add(nameOfKey(keyId), at)
  }

  countRejection(accountId: string, at: number): void {
    this.#details.add(nameOfRejections(accountId), at)
  }

  recordBan(accountId: string, keyId: string, banState: BanState): void {
    const { bannedSince: since, bannedUntil: until, step, violations } = banState
    this.#bans.set(keyId, { key_id: keyId, account_id: accountId, since, until, step, violations })
  }

  recordLiftedBan(keyId: string): void {
    this.#bans.set(keyId, null)
  }

  /**
   * Flushes run one after another, and those that have to wait share the next one: while the database does not answer,
   * nobody waits for more than two. Counts that cannot be written are kept for the next flush.
   */
  flush(): Promise<void> {
    const start = () => {
      this.#next = null
      this.#writing = this.#write()
      return this.#writing
    }
    this.#next ??= this.#writing.then(start, start)
    return this.#next
  }

  async history(accountId: string): Promise<{ minutes: Count[]; days: Count[] }> {
    await this.flush()
    const now = this.#context.now()
    const db = this.#context.database.read
    const read = async (unit: Window) => {
      const since = historyStart(unit, now)
      const counts = await store.requestsSince(db, accountId, unit, since)
      const rejections = await store.requestsSince(db, nameOfRejections(accountId), unit, since)
      return fillHistory(unit, counts, rejections, now)
    }
    return { minutes: await read('minute'), days: await read('day') }
  }

  async requestsToday(): Promise<{ accountId: string; requests: number }[]> {
    const today = Math.floor(this.#context.now() / day) * day
    const rows = await store.requestsOfDay(this.#context.database.read, today)
    return rows
      .filter(({ account_id }) => isLimited(account_id))
      .map(({ account_id, requests }) => ({ accountId: account_id, requests }))
  }

  /** Admitted requests today (UTC) by key, without keys that have none. */
  async requestsOfKeys(keyIds: readonly string[]): Promise<Map<string, number>> {
    await this.flush()
    const today = Math.floor(this.#context.now() / day) * day
    const ids = new Map(keyIds.map((id) => [nameOfKey(id), id]))
    const rows = await store.requestsOfDay(this.#context.database.read, today, [...ids.keys()])
    return new Map(rows.map(({ account_id, requests }) => [ids.get(account_id) ?? account_id, requests]))
  }

  async bannedKeys(): Promise<Map<string, BanState>> {
    return toBanStates(await store.allBans(this.#context.database.read))
  }

  /** The stored counts and bans of one caller, for a Redis that may have lost them. */
  async readStored(caller: string, at: number): Promise<{ today: number; bans: Map<string, BanState> }> {
    await this.flush()
    const { read } = this.#context.database
    const today = await store.requestsOn(read, caller, Math.floor(at / day) * day)
    return { today, bans: toBanStates(await store.bansOf(read, caller)) }
  }

  async close(): Promise<void> {
    clearInterval(this.#timer)
    await this.flush().catch(() => {})
  }

  async #write(): Promise<void> {
    let counts = [...this.counts.take(), ...this.#details.take()]
    let bans = this.#bans
    this.#bans = new Map()
    try {
      while (counts.length > 0 || bans.size > 0) {
        await this.#writeOnce(counts.slice(0, accountsPerTransaction), bans)
        counts = counts.slice(accountsPerTransaction)
        bans = new Map()
        await nextTick()
      }
      await this.#cleanUp()
      this.#failing = false
    } catch (error) {
      this.counts.putBack(counts)
      this.#bans = new Map([...bans, ...this.#bans])
      if (!this.#failing)
        this.#log.warn({ err: error }, 'cannot write request counts; keeping them in memory')
      this.#failing = true
      throw error
    }
  }

  #writeOnce(counts: MinuteCount[], bans: Map<string, store.BanRow | null>): Promise<void> {
    const { database } = this.#context
    const write = bans.size > 0 ? database.write : database.writeUnsynced
    return write(async (tx) => {
      await store.addRequests(tx, toRows(counts))
      for (const [keyId, row] of bans) await (row ? store.saveBan(tx, row) : store.deleteBan(tx, keyId))
    })
  }

  /** A batch with each flush: requests for the history wait for it. */
  async #cleanUp(): Promise<void> {
    const now = this.#context.now()
    if (now < this.#cleanUpAt) return
    const { database } = this.#context
    const hasMore = await database.writeUnsynced(async (tx) => {
      // Or two processes could each delete a part of the same batch, and both take it for the last one.
      await lock(database, tx, 'old request counts')
      let most = removedAtOnce
      for (const unit of ['minute', 'day'] as const) {
        most -= await store.deleteRequestsBefore(tx, unit, historyStart(unit, now), most)
      }
      await store.deleteBansBefore(tx, now - banRule.durations.length * banRule.stepForgottenAfter)
      return most === 0
    })
    if (!hasMore) this.#cleanUpAt = now + hour
  }
}

function toBanStates(rows: readonly store.BanRow[]): Map<string, BanState> {
  return new Map(
    rows.map(({ key_id, since, until, step, violations }) => [
      key_id,
      { ...initialBanState, bannedSince: since, bannedUntil: until, step, violations },
    ]),
  )
}
