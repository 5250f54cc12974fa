import type { Clock } from '../../kernel/clock.ts'
import { type BanState, isBanned } from '../ban.ts'
import { decide, decideWindows } from '../decide.ts'
import type { Limits } from '../policy.ts'
import type { WindowUsage } from '../usage.ts'
import type { Verdict } from '../verdict.ts'
import type { ScriptReply } from './decide-script.ts'

/** As long as Redis need not hear of violations, or tell of a ban that was lifted. */
const askAgainAfter = 1_000
const most = 50_000

interface Known {
  usage: WindowUsage
  conduct: BanState | null
  /** Redis's clock less ours. */
  clockAhead: number
  askedAt: number
  /** Violations that were answered here since Redis was asked. */
  unreported: number
}

/**
 * Callers that Redis rejected. Until the reset the same decision is made here, so that who hammers costs Redis one
 * question a second. That one hands over the violations that were counted meanwhile; one that would bring a ban
 * about is always asked.
 */
export class KnownRejections {
  readonly #now: Clock
  readonly #random: () => number
  readonly #known = new Map<string, Known>()

  constructor(now: Clock, random: () => number) {
    this.#now = now
    this.#random = random
  }

  /** The rejection, or null where Redis has to be asked. */
  answer(caller: string, bannable: boolean, limits: Limits, redisIsUp: boolean): Verdict | null {
    const known = this.#known.get(caller)
    if (known === undefined) return null
    const now = this.#now()
    const at = now + known.clockAhead
    const random = this.#random()
    const decision = bannable
      ? decide(known.usage, known.conduct, limits, at, random)
      : decideWindows(known.usage, limits, at, random)
    if (decision.verdict.admitted) return null
    if (redisIsUp && (decision.verdict.banStarted || now >= known.askedAt + askAgainAfter)) return null
    if (decision.conduct !== null && decision.conduct.violations !== known.conduct?.violations)
      known.unreported++
    // Bans are made where all nodes see them.
    if (decision.verdict.banStarted) return decideWindows(known.usage, limits, at, random).verdict
    known.conduct = decision.conduct
    return decision.verdict
  }

  /** Violations to hand over with the question that is asked now. */
  takeUnreported(caller: string): number {
    const known = this.#known.get(caller)
    if (known === undefined) return 0
    const { unreported } = known
    known.unreported = 0
    known.askedAt = this.#now()
    return unreported
  }

  giveBack(caller: string, unreported: number): void {
    const known = this.#known.get(caller)
    if (known !== undefined) known.unreported += unreported
  }

  note(caller: string, { admitted, usage, conduct, now }: ScriptReply, askedAt: number): void {
    if (admitted) {
      this.#known.delete(caller)
      return
    }
    const unreported = this.#known.get(caller)?.unreported ?? 0
    if (this.#known.size >= most && !this.#known.has(caller)) this.#forgetFirst()
    // Measured from when it was asked: at worst Redis is asked again too early.
    this.#known.set(caller, { usage, conduct, clockAhead: now - askedAt, askedAt, unreported })
  }

  forget(caller: string): void {
    this.#known.delete(caller)
  }

  banOf(caller: string): BanState | null {
    const known = this.#known.get(caller)
    if (known === undefined) return null
    return isBanned(known.conduct, this.#now() + known.clockAhead) ? known.conduct : null
  }

  #forgetFirst(): void {
    const [first] = this.#known.keys()
    if (first !== undefined) this.#known.delete(first)
  }
}
