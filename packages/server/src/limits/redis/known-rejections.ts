import type { Clock } from '../../kernel/clock.ts'
import { type BanState, isBanned } from '../ban.ts'
import { decide, decideWindows } from '../decide.ts'
import type { Limits } from '../policy.ts'
import type { WindowUsage } from '../usage.ts'
import type { Verdict } from '../verdict.ts'
import type { ScriptReply } from './decide-script.ts'

/** How long we answer without telling Redis about violations, or learning that a ban was lifted. */
const askAgainAfter = 1_000
const maxKnown = 50_000

interface Known {
  usage: WindowUsage
  banState: BanState | null
  /** Redis's clock minus ours. */
  clockAhead: number
  askedAt: number
  /** Violations counted here since the last call to Redis. */
  unreported: number
}

/**
 * Callers that Redis rejected. Until the reset we make the same decision here, so that a client that hammers us costs
 * one Redis call per second. That call reports the violations counted meanwhile. A request that would start a ban
 * always goes to Redis.
 */
export class KnownRejections {
  readonly #now: Clock
  readonly #random: () => number
  readonly #known = new Map<string, Known>()

  constructor(now: Clock, random: () => number) {
    this.#now = now
    this.#random = random
  }

  /** The rejection, or null if Redis has to decide. */
  answer(caller: string, bannable: boolean, limits: Limits, redisIsUp: boolean): Verdict | null {
    const known = this.#known.get(caller)
    if (known === undefined) return null
    const now = this.#now()
    const at = now + known.clockAhead
    const random = this.#random()
    const decision = bannable
      ? decide(known.usage, known.banState, limits, at, random)
      : decideWindows(known.usage, limits, at, random)
    if (decision.verdict.admitted) return null
    const sinceAsked = now - known.askedAt
    // Negative once our clock was set back: then we do not know how far Redis's is ahead either.
    const hasToAsk = decision.verdict.banStarted || sinceAsked < 0 || sinceAsked >= askAgainAfter
    if (redisIsUp && hasToAsk) return null
    if (decision.banState !== null && decision.banState.violations !== known.banState?.violations)
      known.unreported++
    // Only Redis starts bans, so that all nodes see them.
    if (decision.verdict.banStarted) return decideWindows(known.usage, limits, at, random).verdict
    known.banState = decision.banState
    return decision.verdict
  }

  /** Violations to report with the next call. */
  takeUnreported(caller: string): number {
    const known = this.#known.get(caller)
    if (known === undefined) return 0
    const { unreported } = known
    known.unreported = 0
    known.askedAt = this.#now()
    return unreported
  }

  restoreUnreported(caller: string, unreported: number): void {
    const known = this.#known.get(caller)
    if (known !== undefined) known.unreported += unreported
  }

  record(caller: string, { admitted, usage, banState, now }: ScriptReply, askedAt: number): void {
    if (admitted) {
      this.#known.delete(caller)
      return
    }
    const unreported = this.#known.get(caller)?.unreported ?? 0
    if (this.#known.size >= maxKnown && !this.#known.has(caller)) this.#forgetFirst()
    // Measured from the start of the call: at worst we ask Redis again too early.
    this.#known.set(caller, { usage, banState, clockAhead: now - askedAt, askedAt, unreported })
  }

  forget(caller: string): void {
    this.#known.delete(caller)
  }

  banOf(caller: string): BanState | null {
    const known = this.#known.get(caller)
    if (known === undefined) return null
    return isBanned(known.banState, this.#now() + known.clockAhead) ? known.banState : null
  }

  #forgetFirst(): void {
    const [first] = this.#known.keys()
    if (first !== undefined) this.#known.delete(first)
  }
}
