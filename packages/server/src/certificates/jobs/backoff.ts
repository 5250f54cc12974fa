import { isWildcard, withoutWildcard } from '../../dns/domain-name.ts'
import { day, hour, isoTime, minute, second, waitAfter } from '../../kernel/clock.ts'
import type { Failure, FailureKind } from './failure.ts'
import { type JobChange, type JobRow, jobPriorities } from './job.ts'

/** Whose problem a failure is: the name's, the CA's, this server's, or nobody's while the budget is used up. */
export type FailureCause = 'name' | 'authority' | 'server' | 'budget'

export interface Backoff {
  cause: FailureCause
  /** How long to wait after the first failure of this kind in a row, the second, and so on; the last one repeats. */
  waits: readonly number[]
  /** The order can still be finished, so the next attempt resumes it instead of placing a new one. */
  keepsOrder?: boolean
  /** Retrying would not help. If the current certificate is still valid we retry anyway. */
  isPermanent?: boolean
  /** The next attempt uses the other challenge type. */
  changesChallenge?: boolean
  /** Shown to the owner of the name after the CA's message. */
  hint: string
}

/** People fix DNS, firewalls and proxies, mostly within the hour, sometimes after the weekend. */
const untilRepaired = [minute, 5 * minute, 15 * minute, 30 * minute, hour, 3 * hour, 6 * hour]
/** The CA may have connected while our own edge was restarting. */
const untilReachable = [10 * second, 30 * second, ...untilRepaired]
/** Problems of the CA or the network usually pass soon. */
const untilPassed = [10 * second, minute, 5 * minute, 15 * minute]
/** Should not happen, so retries must stay cheap for us and the CA. */
const unlikely = [minute, 15 * minute, hour, 6 * hour, day]
const immediately = 0

export const backoffs: Readonly<Record<FailureKind, Backoff>> = {
  connection: {
    cause: 'name',
    waits: untilReachable,
    changesChallenge: true,
    hint: 'The certificate authority could not connect to this domain. Check that every A and AAAA record points here and that no firewall or proxy is in the way.',
  },
  // Our fault, not the domain's: order again immediately, then back off.
  interrupted: {
    cause: 'server',
    waits: [immediately, ...untilReachable],
    hint: "Nothing is wrong with the domain. We'll order again automatically.",
  },
  dns: {
    cause: 'name',
    waits: untilRepaired,
    hint: 'The certificate authority could not look up this domain. Check that all its nameservers respond, and check DNSSEC if you use it.',
  },
  unauthorized: {
    cause: 'name',
    waits: untilRepaired,
    hint: 'Another server responded when the certificate authority checked this domain. Check that every A and AAAA record points here and that no proxy responds in our place.',
  },
  caa: {
    cause: 'name',
    waits: [hour, 3 * hour, 6 * hour],
    hint: 'A CAA record of the domain forbids this certificate authority. Allow it, then re-verify the domain.',
  },
  // Our own lookup costs no order, so we can repeat it sooner.
  caa_forbids: {
    cause: 'name',
    waits: [5 * minute, 15 * minute, hour],
    hint: 'Change DNS as shown here, then verify the domain.',
  },
  delegation: {
    cause: 'name',
    waits: untilRepaired,
    hint: 'Set the record shown here, in place of any other at that name, then verify the domain.',
  },
  wildcard: {
    cause: 'server',
    waits: untilRepaired,
    hint: 'The operator has to set MASTHEAD_DNS_LISTEN. Domains without a star work as before.',
  },
  rate_limited: {
    cause: 'authority',
    waits: [hour, 3 * hour, 6 * hour, day],
    keepsOrder: true,
    hint: "The certificate authority limits how often we can order. Nothing is wrong with the domain: we'll retry when the limit allows.",
  },
  // Names of one account are queued. Names of many accounts back off, or each token would wake them all.
  budget: {
    cause: 'budget',
    waits: [10 * second, minute, 5 * minute],
    hint: "Nothing is wrong with the domain. We'll retry automatically.",
  },
  server_internal: {
    cause: 'authority',
    waits: untilPassed,
    keepsOrder: true,
    hint: "The problem is at the certificate authority. We'll retry automatically.",
  },
  unreachable: {
    cause: 'authority',
    waits: untilPassed,
    keepsOrder: true,
    hint: "Nothing is wrong with the domain. We'll retry automatically.",
  },
  // The client already retried 20 times.
  bad_nonce: { cause: 'authority', waits: untilPassed, keepsOrder: true, hint: "We'll retry automatically." },
  // The replica we asked may not have it yet. If it was purged, the order is gone as well.
  not_found: { cause: 'authority', waits: untilPassed, keepsOrder: true, hint: "We'll retry automatically." },
  account_refused: {
    cause: 'authority',
    waits: unlikely,
    hint: "The problem is this server's account at the certificate authority, not the domain. Tell your operator. We'll retry automatically.",
  },
  // Another process was faster, the CA's storage lagged, or another account of ours has it: order again without
  // `replaces`, which shows whether the CA refuses this account, then back off.
  already_replaced: {
    cause: 'authority',
    waits: [immediately, ...unlikely],
    hint: "We'll order again automatically.",
  },
  // The CA no longer knows our account: register again immediately, then back off.
  account_missing: {
    cause: 'authority',
    waits: [immediately, ...untilPassed],
    hint: "We'll retry automatically.",
  },
  rejected_name: {
    cause: 'name',
    waits: [day],
    isPermanent: true,
    hint: 'The certificate authority does not issue certificates for this domain. Use another domain, or ask them why.',
  },
  malformed: {
    cause: 'name',
    waits: [day],
    isPermanent: true,
    hint: 'The certificate authority rejected the request for this domain. Re-verify to try again. If that does not help, tell your operator.',
  },
  invalid_answer: {
    cause: 'authority',
    waits: unlikely,
    hint: "We'll retry automatically. If this keeps happening, tell your operator.",
  },
  misfit: {
    cause: 'authority',
    waits: unlikely,
    hint: "We'll retry automatically. If this keeps happening, tell your operator.",
  },
  other: {
    cause: 'name',
    waits: unlikely,
    hint: "We'll retry automatically. If this keeps happening, tell your operator.",
  },
  fault: { cause: 'server', waits: untilPassed, keepsOrder: true, hint: "We'll retry automatically." },
}

/** A node of another version may have stored a kind that this one does not know. */
export function isFailureKind(kind: string | null): kind is FailureKind {
  return kind !== null && Object.hasOwn(backoffs, kind)
}

export function causeOf(kind: FailureKind): FailureCause {
  return backoffs[kind].cause
}

/** The last failure, as the API returns it. */
export interface CertificateError {
  kind: Failure['kind']
  at: string
  /** The name of the CA. */
  authority: string
  message: string
  hint: string
  /** The CA's problem document. */
  problem: Failure['document']
  add: Failure['add'] | null
}

/** Spreads names that failed together or wait for the same moment, by this part of the wait … */
const jitter = 0.1
/** … but at most by this. */
const longestJitter = hour

export interface FailedAttempt {
  failure: Failure
  orderIsOver: boolean
  authority: string
  /** Someone requested the certificate again while the attempt was running. */
  isRequestedAgain: boolean
  /** The name still has a valid certificate, so there is time to retry. */
  isCovered: boolean
}

/** The change to a job after a failure. `random` is in [0, 1). */
export function jobAfterFailure(
  job: JobRow,
  { failure, orderIsOver, authority, isRequestedAgain, isCovered }: FailedAttempt,
  now: number,
  random: number,
): JobChange {
  const { kind, message, document, add } = failure
  const { isPermanent, keepsOrder, changesChallenge } = backoffs[kind]
  const rung = isRequestedAgain ? 0 : nextRung(job, failure)
  const wait = waitAt(rung, failure, now)
  const at = now + Math.round(wait + Math.min(wait * jitter, longestJitter) * random)
  const error: CertificateError = {
    kind,
    at: isoTime(now),
    authority,
    message,
    hint: hintFor(job, kind),
    problem: document,
    add: add ?? null,
  }
  const isRefused = isPermanent && !isCovered && !isRequestedAgain
  return {
    attempts: job.attempts + 1,
    rung,
    problem_kind: kind,
    ...(causeOf(kind) === 'name' && !isCovered && { priority: jobPriorities.failed }),
    last_error: JSON.stringify(error),
    next_attempt_at: isRefused ? null : isRequestedAgain ? now : at,
    ...(changesChallenge && { challenge_kind: otherChallenge(job.challenge_kind) }),
    ...(kind === 'already_replaced' && { replaces: null }),
    ...((orderIsOver || !keepsOrder) && { issuer: null, order_url: null, sealed_key: null }),
  }
}

/** A wildcard is checked by DNS, never by connecting. */
function hintFor({ name }: Pick<JobRow, 'name'>, kind: FailureKind): string {
  const isAboutCheck = kind === 'connection' || kind === 'dns' || kind === 'unauthorized'
  if (!isAboutCheck || !isWildcard(name)) return backoffs[kind].hint
  return `The certificate authority did not find our answer in DNS. Check the CNAME record of _acme-challenge.${withoutWildcard(name)}. If it is right, tell your operator.`
}

function nextRung(job: Pick<JobRow, 'problem_kind' | 'rung'>, { kind }: Failure): number {
  return job.problem_kind === kind ? job.rung + 1 : 1
}

function waitAt(rung: number, { kind, retryAt }: Failure, now: number): number {
  return Math.max(waitAfter(rung, backoffs[kind].waits), (retryAt ?? now) - now)
}

/** How long to wait after a failure, without jitter; infinitely if retrying would not help. */
export function retryAfter(
  job: Pick<JobRow, 'problem_kind' | 'rung'>,
  failure: Failure,
  now: number,
): number {
  const { isPermanent = false } = backoffs[failure.kind]
  return isPermanent ? Number.POSITIVE_INFINITY : waitAt(nextRung(job, failure), failure, now)
}

function otherChallenge(kind: JobRow['challenge_kind']): JobRow['challenge_kind'] {
  return kind === 'http-01' ? 'tls-alpn-01' : 'http-01'
}
