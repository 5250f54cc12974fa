import { day, hour, isoTime, minute, second } from '../../kernel/clock.ts'
import type { Failure, FailureKind } from './failure.ts'
import { type JobChange, type JobRow, jobPriorities } from './job-store.ts'

export interface Backoff {
  /** How long to wait after the first failure of this kind in a row, the second, …; the last one repeats. */
  waits: readonly number[]
  /** The order may still be finished: it is taken up again. Otherwise the next attempt orders anew. */
  keepsOrder?: boolean
  /** Trying again by itself would be in vain; where a certificate is still valid it is tried all the same. */
  forGood?: boolean
  /** The next attempt proves the name in the other way. */
  changesChallenge?: boolean
  /** Said to whoever owns the name, after the CA's own words. */
  hint: string
}

/** DNS, firewalls and proxies are repaired by people, mostly within the hour, sometimes after the weekend. */
const untilRepaired = [minute, 5 * minute, 15 * minute, 30 * minute, hour, 3 * hour, 6 * hour]
/** It may have come while our own edge was just being restarted. */
const untilReachable = [10 * second, 30 * second, ...untilRepaired]
/** Trouble of the CA or on the way to it passes by itself, mostly soon. */
const untilPassed = [10 * second, minute, 5 * minute, 15 * minute]
/** What should not happen is tried again, but not so that it costs anybody much. */
const immediately = 0
const unlikely = [minute, 15 * minute, hour, 6 * hour, day]

export const backoffs: Readonly<Record<FailureKind, Backoff>> = {
  connection: {
    waits: untilReachable,
    changesChallenge: true,
    hint: 'It could not connect to this name. Check that every A and AAAA record leads here, and that no firewall or proxy stands in front of it.',
  },
  // Ours, not that of the name: ordered again, at once, but not for ever.
  interrupted: {
    waits: [immediately, ...untilReachable],
    hint: 'Nothing is wrong with the domain. It is ordered again automatically.',
  },
  dns: {
    waits: untilRepaired,
    hint: 'It could not look the name up. Check that all nameservers of the domain answer, and DNSSEC if you use it.',
  },
  unauthorized: {
    waits: untilRepaired,
    hint: 'Somebody else answered when it came to look. Check that every A and AAAA record leads here, and that nothing in front of the domain answers instead.',
  },
  caa: {
    waits: [hour, 3 * hour, 6 * hour],
    hint: 'A CAA record of the domain forbids this certificate authority. Allow it, then re-verify.',
  },
  // Found by our own look, which costs nothing: it can be repeated sooner than the CA's.
  caa_forbids: {
    waits: [5 * minute, 15 * minute, hour],
    hint: 'Change the CAA records as shown here, then re-verify.',
  },
  rate_limited: {
    waits: [hour, 3 * hour, 6 * hour, day],
    keepsOrder: true,
    hint: 'One of its limits is reached. It is tried again when the limit allows it; nothing is wrong with the domain.',
  },
  // Names of one account come back in turn. Those of many are not all to come back for each token.
  budget: {
    waits: [10 * second, minute, 5 * minute],
    hint: 'Its limits are kept by waiting. It is tried again by itself; nothing is wrong with the domain.',
  },
  server_internal: {
    waits: untilPassed,
    keepsOrder: true,
    hint: 'The fault is on its side. It is tried again by itself.',
  },
  unreachable: {
    waits: untilPassed,
    keepsOrder: true,
    hint: 'The fault is not with the domain. It is tried again by itself.',
  },
  // The client has tried twenty times by now.
  bad_nonce: { waits: untilPassed, keepsOrder: true, hint: 'It is tried again by itself.' },
  // It may not have come round to the replica that was asked, or be purged: then the order is gone as well.
  not_found: { waits: untilPassed, keepsOrder: true, hint: 'It is tried again by itself.' },
  account_refused: {
    waits: unlikely,
    hint: 'The account of this service is at fault, not the domain. Tell your operator; it is tried again by itself.',
  },
  // Another process was faster, or storage was behind: ordered again without `replaces`, at once, but not for ever.
  already_replaced: { waits: [immediately, ...unlikely], hint: 'It is ordered again by itself.' },
  // The CA has forgotten the account: it is registered again, at once, but not for ever.
  account_missing: { waits: [immediately, ...untilPassed], hint: 'It is tried again by itself.' },
  rejected_name: {
    waits: [day],
    forGood: true,
    hint: 'It does not issue certificates for this name. Use another name, or ask it why.',
  },
  malformed: {
    waits: [day],
    forGood: true,
    hint: 'It did not accept the request for this name. Re-verify tries again; if that does not help, tell your operator.',
  },
  invalid_answer: {
    waits: unlikely,
    hint: 'It is tried again by itself. If it stays so, tell your operator.',
  },
  misfit: { waits: unlikely, hint: 'It is tried again by itself. If it stays so, tell your operator.' },
  other: { waits: unlikely, hint: 'It is tried again by itself. If it stays so, tell your operator.' },
  fault: { waits: untilPassed, keepsOrder: true, hint: 'It is tried again by itself.' },
}

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
export function jobAfterFailure(
  job: JobRow,
  { failure, orderIsOver, authority, askedMeanwhile, isCovered }: FailedAttempt,
  now: number,
  random: number,
): JobChange {
  const { kind, message, document, retryAt, add } = failure
  const { waits, hint, forGood, keepsOrder, changesChallenge } = backoffs[kind]
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
