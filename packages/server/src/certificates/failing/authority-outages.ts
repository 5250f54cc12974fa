import { type Clock, day, minute, second } from '../../kernel/clock.ts'
import { causeOf } from '../jobs/backoff.ts'
import type { Failure, FailureKind } from '../jobs/failure.ts'
import type { Issuer, Outcome } from '../jobs/issuer.ts'
import { explainFailure, isCertain } from './explain-failure.ts'

export interface AuthorityOutageLog {
  warn(details: object, message: string): void
  info(details: object, message: string): void
}

interface AuthorityOutage {
  since: number
  failures: number
  isReported: boolean
}

/** While it lasts, the same reason is written again after this. */
const remindAfter = day
/** After it has ended: a CA that refuses some orders and takes others must not fill the log. */
const reportAgainAfter = 10 * minute

/** The CA took the order and looked at the name, so it works. */
const namesChecked: ReadonlySet<FailureKind> = new Set(['connection', 'dns', 'unauthorized'])

/** Reports that a certificate authority does not issue, for reasons that are no name's, and that it does again. */
export class AuthorityOutages {
  readonly #log: AuthorityOutageLog
  readonly #now: Clock
  readonly #outages = new Map<Issuer, AuthorityOutage>()
  readonly #reportedAt = new Map<Issuer, Map<FailureKind, number>>()

  constructor(log: AuthorityOutageLog, now: Clock) {
    this.#log = log
    this.#now = now
  }

  tried(issuer: Issuer, outcome: Outcome): void {
    if (outcome.kind === 'later') return
    // The next order shows more: it follows at once, without naming what it replaces.
    if (outcome.kind === 'failed' && outcome.failure.kind === 'already_replaced') return
    if (outcome.kind === 'issued' || namesChecked.has(outcome.failure.kind)) this.#end(issuer)
    else if (causeOf(outcome.failure.kind) === 'authority') this.#count(issuer, outcome.failure)
  }

  #count(issuer: Issuer, { kind, message }: Failure): void {
    const now = this.#now()
    const outage = this.#outages.get(issuer) ?? { since: now, failures: 0, isReported: false }
    this.#outages.set(issuer, outage)
    outage.failures++
    if (!isCertain(kind, outage.failures)) return
    const reportedAt = this.#reportedAt.get(issuer) ?? new Map<FailureKind, number>()
    this.#reportedAt.set(issuer, reportedAt)
    const quiet = outage.isReported ? remindAfter : reportAgainAfter
    const last = reportedAt.get(kind)
    if (last !== undefined && now - last < quiet) return
    reportedAt.set(kind, now)
    outage.isReported = true
    const { problem, fix } = explainFailure(kind, issuer.title)
    const details = { authority: issuer.id, reason: message, failures: outage.failures }
    this.#log.warn(details, `${problem} ${fix}`)
  }

  #end(issuer: Issuer): void {
    const outage = this.#outages.get(issuer)
    this.#outages.delete(issuer)
    if (outage === undefined || !outage.isReported) return
    const seconds = Math.round((this.#now() - outage.since) / second)
    this.#log.info(
      { authority: issuer.id, seconds, failures: outage.failures },
      `${issuer.title} works again`,
    )
  }
}
