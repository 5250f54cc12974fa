import { minute } from '../../kernel/clock.ts'
import { backoffs, retryAfter } from './backoff.ts'
import type { Failure, FailureKind } from './failure.ts'
import type { CertificateContext, Issuer, Outcome } from './issuer.ts'
import type { ClaimedJob, JobRow } from './job.ts'

/** A certificate authority that could not issue, and why. */
export interface PassedOver {
  authority: string
  kind: FailureKind
  message: string
}

export interface Attempted {
  issuer: Issuer
  outcome: Outcome
  passedOver: PassedOver[]
}

/** Another authority may well issue. What the others name would fail there too. */
const problemsOfAuthority: ReadonlySet<FailureKind> = new Set([
  'unreachable',
  'server_internal',
  'bad_nonce',
  'rate_limited',
  'budget',
  'caa',
  'caa_forbids',
  'rejected_name',
  'malformed',
  'account_refused',
  'invalid_answer',
  'misfit',
  'other',
])

type FailedOutcome = Extract<Outcome, { kind: 'failed' }>
type FailedTry = Attempted & { outcome: FailedOutcome }

/** Each name would otherwise wait for an authority that is down. */
const restAfterOutage = minute
const outages: ReadonlySet<FailureKind> = new Set(['unreachable', 'server_internal', 'bad_nonce'])
const resting = new WeakMap<Issuer, { until: number; failure: Failure }>()

/**
 * Asks the authorities in the configured order, and passes over those that cannot issue. An order under way is
 * continued first. If all fail, the outcome is the one that can be retried soonest.
 */
export async function tryAuthorities(
  { issuers, now }: Pick<CertificateContext, 'issuers' | 'now'>,
  job: ClaimedJob,
  /** The authority of the certificate that is served now. */
  current: string | null,
  tell: {
    ordered(issuer: Issuer, passedOver: PassedOver[]): void
    tried(issuer: Issuer, outcome: Outcome): void
  },
  stopping: AbortSignal,
): Promise<Attempted> {
  const { row } = job
  const failed: FailedTry[] = []
  const passedOver = () => failed.map(({ issuer, outcome }) => toPassedOver(issuer, outcome.failure))
  const inOrder = issuers.toSorted((one, other) => hasOrder(other, row) - hasOrder(one, row))
  const isResting = (issuer: Issuer) => {
    const left = (resting.get(issuer)?.until ?? 0) - now()
    // A rest that takes longer is from before the clock was set back.
    return left > 0 && left <= restAfterOutage
  }
  const someAreAwake = issuers.some((issuer) => !isResting(issuer))
  for (const issuer of inOrder) {
    const rest = someAreAwake && isResting(issuer) ? resting.get(issuer) : undefined
    const outcome: Outcome =
      rest === undefined
        ? await issuer.attempt(
            jobAt(issuer, job, current),
            { ordered: () => tell.ordered(issuer, passedOver()) },
            stopping,
          )
        : { kind: 'failed', failure: rest.failure }
    if (rest === undefined) tell.tried(issuer, outcome)
    const attempted = { issuer, outcome, passedOver: passedOver() }
    if (outcome.kind !== 'failed') return attempted
    const { failure } = outcome
    if (outages.has(failure.kind) && rest === undefined) {
      resting.set(issuer, { until: now() + restAfterOutage, failure })
    }
    if (!problemsOfAuthority.has(failure.kind) || deservesAnotherTry(issuer, row, failure)) return attempted
    failed.push({ ...attempted, outcome })
  }
  return soonest(failed, row, now())
}

function hasOrder({ id }: Issuer, { issuer, order_url }: JobRow): number {
  return order_url !== null && issuer === id ? 1 : 0
}

/** An order that is nearly finished is not given up for one lost answer. */
function deservesAnotherTry(issuer: Issuer, row: JobRow, { kind }: Failure): boolean {
  const isFirstFailure = row.problem_kind !== kind
  return hasOrder(issuer, row) === 1 && backoffs[kind].keepsOrder === true && isFirstFailure
}

/** Only the authority that issued a certificate knows what an order replaces. */
function jobAt(issuer: Issuer, job: ClaimedJob, current: string | null): ClaimedJob {
  if (job.row.replaces === null || issuer.id === current) return job
  return { ...job, row: { ...job.row, replaces: null } }
}

function soonest(failed: readonly FailedTry[], row: JobRow, now: number): Attempted {
  const [first, ...others] = failed
  if (first === undefined) throw new Error('There is no certificate authority')
  const retryAt = ({ outcome }: FailedTry) => retryAfter(row, outcome.failure, now)
  const { issuer, outcome } = others.reduce(
    (best, other) => (retryAt(other) < retryAt(best) ? other : best),
    first,
  )
  const rest = failed.filter((one) => one.issuer !== issuer)
  return {
    issuer,
    outcome,
    passedOver: rest.map((one) => toPassedOver(one.issuer, one.outcome.failure)),
  }
}

function toPassedOver({ title }: Issuer, { kind, message }: Failure): PassedOver {
  return { authority: title, kind, message }
}
