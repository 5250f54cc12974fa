import { hour, isoTime } from '../clock.ts'
import type { Failure } from './failure.ts'
import { type JobChange, type JobRow, jobPriorities } from './job-store.ts'
import { ladders } from './ladders.ts'

/** What went wrong last, as the API shows it. */
export interface CertificateError {
  kind: Failure['kind']
  at: string
  /** Who was asked. */
  authority: string
  message: string
  hint: string
  /** The CA's problem document, in its own words. */
  problem: Failure['document']
  add: Failure['add'] | null
}

/** Names that failed together, or wait for the same moment, are not tried together: by a part of the wait, … */
const jitter = 0.1
/** … and no more than this. */
const longestJitter = hour

/** They say that something is wrong with the name, not with us or the CA. */
const faultsOfName: ReadonlySet<Failure['kind']> = new Set([
  'connection',
  'dns',
  'unauthorized',
  'caa',
  'caa_forbids',
  'rejected_name',
  'malformed',
  'other',
])

export interface FailedAttempt {
  failure: Failure
  orderIsOver: boolean
  authority: string
  /** The job was asked for again while the attempt was under way. */
  askedMeanwhile: boolean
  /** The name has a certificate that is still valid: there is time to try again. */
  isCovered: boolean
}

/** How a job goes on after a failure. `random` is in [0, 1). */
export function afterFailure(
  job: JobRow,
  { failure, orderIsOver, authority, askedMeanwhile, isCovered }: FailedAttempt,
  now: number,
  random: number,
): JobChange {
  const { kind, message, document, retryAt, add } = failure
  const { waits, hint, forGood, keepsOrder, changesChallenge } = ladders[kind]
  const rung = askedMeanwhile ? 0 : job.problem_kind === kind ? job.rung + 1 : 1
  const rungWait = waits[Math.min(Math.max(rung, 1), waits.length) - 1] ?? 0
  const wait = Math.max(rungWait, (retryAt ?? now) - now)
  const at = now + Math.round(wait + Math.min(wait * jitter, longestJitter) * random)
  const error: CertificateError = {
    kind,
    at: isoTime(now),
    authority,
    message,
    hint,
    problem: document,
    add: add ?? null,
  }
  const isRefused = forGood && !isCovered && !askedMeanwhile
  return {
    attempts: job.attempts + 1,
    rung,
    problem_kind: kind,
    ...(faultsOfName.has(kind) && !isCovered && { priority: jobPriorities.failed }),
    last_error: JSON.stringify(error),
    next_attempt_at: isRefused ? null : askedMeanwhile ? now : at,
    ...(changesChallenge && { challenge_kind: otherChallenge(job.challenge_kind) }),
    ...(kind === 'already_replaced' && { replaces: null }),
    ...((orderIsOver || !keepsOrder) && { issuer: null, order_url: null, sealed_key: null }),
  }
}

function otherChallenge(kind: JobRow['challenge_kind']): JobRow['challenge_kind'] {
  return kind === 'http-01' ? 'tls-alpn-01' : 'http-01'
}
