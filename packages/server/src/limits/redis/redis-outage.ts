import { type Clock, second } from '../../kernel/clock.ts'
import type { BanState } from '../ban.ts'
import { decideWindows } from '../decide.ts'
import type { Journal } from '../journal.ts'
import type { Limits } from '../policy.ts'
import type { WindowUsage } from '../usage.ts'
import { UsageTable } from '../usage-table.ts'
import type { Quota, Verdict } from '../verdict.ts'
import { packBanState } from './decide-script.ts'
import type { RedisConnection } from './redis-connection.ts'

const mostCallers = 500_000
const tidyEvery = second
const callersPerTidying = 20_000

/** What a node gives out by itself while Redis is away: of every limit the part that is its own, at least one. */
export class LocalShare {
  readonly #now: Clock
  readonly #random: () => number
  readonly #table = new UsageTable(mostCallers)
  readonly #tidying: NodeJS.Timeout

  constructor(now: Clock, random: () => number) {
    this.#now = now
    this.#random = random
    this.#tidying = setInterval(() => this.#table.forgetIdle(now(), callersPerTidying), tidyEvery)
    this.#tidying.unref()
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
    clearInterval(this.#tidying)
  }
}

export function shareOf({ perMinute, perDay }: Limits, nodes: number): Limits {
  const share = (limit: number) => Math.max(1, Math.floor(limit / nodes))
  return { perMinute: share(perMinute), perDay: perDay === null ? null : share(perDay) }
}

/** The plan is what it was, only less of it can be given out here: the limit shown is the plan's. */
function withPlanLimits(verdict: Verdict, limits: Limits): Verdict {
  const minute = { ...verdict.minute, limit: limits.perMinute }
  const day = verdict.day === null ? null : { ...verdict.day, limit: limits.perDay ?? 0 }
  const shown: Quota = verdict.shown === verdict.day && day !== null ? day : minute
  return { ...verdict, minute, day, shown }
}

export interface RecoveredCounts {
  /** Requests of the day. */
  today: number
  bans: ReadonlyMap<string, BanState>
}

/**
 * Callers of whose day Redis knows nothing, be it the first request of the day or a Redis that was emptied or came back
 * without its data. The database is asked once for each, and bans go back where they were.
 */
export class CountRecovery {
  readonly #link: RedisConnection
  readonly #journal: Journal
  readonly #asking = new Map<string, Promise<RecoveredCounts | null>>()

  constructor(link: RedisConnection, journal: Journal) {
    this.#link = link
    this.#journal = journal
  }

  /** Null: neither the database nor Redis could tell. Never throws. */
  recall(caller: string, hash: string, at: number): Promise<RecoveredCounts | null> {
    const asked = this.#asking.get(caller)
    if (asked !== undefined) return asked
    const answer = this.#recall(caller, hash, at)
      .catch(() => null)
      .finally(() => this.#asking.delete(caller))
    this.#asking.set(caller, answer)
    return answer
  }

  async #recall(caller: string, hash: string, at: number): Promise<RecoveredCounts | null> {
    const recalled = await this.#journal.recall(caller, at)
    for (const [keyId, conduct] of recalled.bans) {
      const kept = await this.#link.ask((redis) => redis.hsetnx(hash, keyId, packBanState(conduct)))
      if (kept === null) return null
    }
    return recalled
  }
}
