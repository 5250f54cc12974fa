import { printableText } from '../../kernel/escape-text.ts'
import type { AcmeProblem, AcmeProblemDocument, AcmeProblemKind } from '../acme/problem.ts'
import type { CaaForbidden } from '../caa/caa.ts'
import { caaFix } from '../caa/caa-fix.ts'

/** Why an attempt failed: kinds reported by the CA, and kinds we detect ourselves. */
export type FailureKind =
  | AcmeProblemKind
  | 'caa_forbids'
  | 'delegation'
  | 'wildcard'
  | 'budget'
  | 'interrupted'
  | 'misfit'
  | 'fault'

export interface Failure {
  kind: FailureKind
  /** What happened, for the owner of the name. */
  message: string
  /** The CA's complete problem document. */
  document: AcmeProblemDocument | null
  /** The CA or the budget does not allow a retry before this. */
  retryAt: number | null
  /** The DNS record that would allow the certificate. */
  add?: { type: string; fqdn: string; value: string }
}

const longestQuote = 600

export function failureFromProblem(problem: AcmeProblem, title: string): Failure {
  const { kind, document, retryAt } = problem
  return { kind, document, retryAt, message: problemText(problem, title) }
}

function problemText({ kind, document }: AcmeProblem, title: string): string {
  const detail = document?.detail ?? document?.subproblems?.[0]?.detail
  if (detail !== undefined) return `${title} said: "${printableText(detail, longestQuote)}"`
  switch (kind) {
    case 'unreachable':
      return `${title} could not be reached.`
    case 'invalid_answer':
      return `${title} sent a response we could not understand.`
    case 'server_internal':
      return `${title} has a problem on its side.`
    default:
      return `${title} refused without giving a reason.`
  }
}

export function caaFailure(verdict: CaaForbidden): Failure {
  const { at, behind, why, add } = verdict
  const where = behind === null ? at : `${at}, which ${behind} points to,`
  const message = `The CAA records of ${where} say that ${why}. Nothing was ordered.`
  const failure = { kind: 'caa_forbids', document: null, retryAt: null } as const
  const { sentence, record } = caaFix(verdict)
  if (add === null) return { ...failure, message: `${message} To allow it, ${sentence}.` }
  return { ...failure, message, add: record }
}

/** Only dns-01 can prove the name, and its challenges do not lead to us. */
export function delegationFailure(add: NonNullable<Failure['add']>): Failure {
  const message = `The ${add.type} record of ${add.fqdn} does not lead here. Nothing was ordered.`
  return { kind: 'delegation', message, document: null, retryAt: null, add }
}

/** Certificate authorities check wildcards by DNS only. */
export function wildcardFailure(): Failure {
  const message =
    'A wildcard needs the nameserver of this platform, which is not running. Nothing was ordered.'
  return { kind: 'wildcard', message, document: null, retryAt: null }
}

export function budgetFailure(title: string, retryAt: number): Failure {
  // The time is shown separately, so that repeats of this message are counted instead of listed.
  const message = `We've reached our own limit for new certificates, which keeps us below those of ${title}. Nothing was ordered.`
  return { kind: 'budget', message, document: null, retryAt }
}

/** The CA validated the name while the process that ordered was dead. */
export function interruptedFailure({ document }: AcmeProblem, title: string): Failure {
  const message = `This server was restarted while ${title} checked the domain.`
  return { kind: 'interrupted', message, document, retryAt: null }
}

/** A new order that has already expired: placing another would waste order after order. */
export function expiredFailure(title: string): Failure {
  const message = `${title} created an order that has already expired. Check the clock of this server.`
  return { kind: 'misfit', message, document: null, retryAt: null }
}

export function misfitFailure(title: string, why: string): Failure {
  const message = `${title} issued a certificate that cannot be used. ${why}.`
  return { kind: 'misfit', message, document: null, retryAt: null }
}

export function unexpectedFailure(): Failure {
  const message = 'Something went wrong on our side.'
  return { kind: 'fault', message, document: null, retryAt: null }
}
