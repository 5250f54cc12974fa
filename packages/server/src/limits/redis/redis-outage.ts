import { type Clock, second } from '../../kernel/clock.ts'
import { singleFlight } from '../../kernel/single-flight.ts'
import type { BanState } from '../ban.ts'
import { decideWindows } from '../decide.ts'
import type { Journal } from '../journal.ts'
import type { Limits } from '../policy.ts'
import type { WindowUsage } from '../usage.ts'
import { UsageTable } from '../usage-table.ts'
import type { Quota, Verdict } from '../verdict.ts'
import { packBanState } from './decide-script.ts'
import type { RedisConnection } from './redis-connection.ts'

const maxCallers = 500_000
const cleanUpEvery = second
const callersPerCleanUp = 20_000

/** While Redis is down, each node allows its own share of every limit, at least one request. */
export class LocalShare {
  readonly #now: Clock
  readonly #random: () => number
  readonly #table = new UsageTable(maxCallers)
  readonly #cleanUp: NodeJS.Timeout

  constructor(now: Clock, random: () => number) {
    this.#now = now
    this.#random = random
    this.#cleanUp = setInterval(() => this.#table.forgetIdle(now(), callersPerCleanUp), cleanUpEvery)
    this.#cleanUp.unref()
  }

  check(caller: string, limits: Limits, nodes: number): Verdict {
    const row = this.#table.rowOf(caller)
    const usage = this.#table.read(row)
    const decision = decideWindows(usage, shareOf(limits, nodes), this.#now(), this.#random())
    if (decision.usage !== usage) this.#table.write(row, decision.usage)
    return withPlanLimits(decision.verdict, limits)
  }

  usage(caller: string): WindowUsage | undefined {
    return this.#table.find(caller)
  }

  close(): void {
    clearInterval(this.#cleanUp)
  }
}

function shareOf({ perMinute, perDay }: Limits, nodes: number): Limits {
  const share = (limit: number) => Math.max(1, Math.floor(limit / nodes))
  return { perMinute: share(perMinute), perDay: perDay === null ? null : share(perDay) }
}

/** Shows the limits of the plan, not of this node's share. */
function withPlanLimits(verdict: Verdict, limits: Limits): Verdict {
  const minute = { ...verdict.minute, limit: limits.perMinute }
  const day = verdict.day === null ? null : { ...verdict.day, limit: limits.perDay ?? 0 }
  const shown: Quota = verdict.shown === verdict.day && day !== null ? day : minute
  return { ...verdict, minute, day, shown }
}

export interface RecoveredCounts {
  today: number
  bans: ReadonlyMap<string, BanState>
}

/**
 * Restores counts and bans from the database for callers that Redis has no count of today: on the first request of the
 * day, or after Redis lost its data. Reads the database once per caller.
 */
export class CountRecovery {
  readonly #connection: RedisConnection
  readonly #journal: Journal
  readonly #restoreOnce = singleFlight((caller: string, hash: string, at: number) =>
    this.#restore(caller, hash, at).catch(() => null),
  )

  constructor(connection: RedisConnection, journal: Journal) {
    this.#connection = connection
    this.#journal = journal
  }

  /** Null if the database or Redis failed. Never throws. */
  recover(caller: string, hash: string, at: number): Promise<RecoveredCounts | null> {
    return this.#restoreOnce(caller, hash, at)
  }

  async #restore(caller: string, hash: string, at: number): Promise<RecoveredCounts | null> {
    const recovered = await this.#journal.readStored(caller, at)
    for (const [keyId, banState] of recovered.bans) {
      const stored = await this.#connection.ask((redis) => redis.hsetnx(hash, keyId, packBanState(banState)))
      if (stored === null) return null
    }
    return recovered
  }
}
