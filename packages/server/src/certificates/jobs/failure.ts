import { printableText } from '../../kernel/escape-text.ts'
import type { AcmeProblem, AcmeProblemDocument, AcmeProblemKind } from '../acme/problem.ts'
import type { CaaForbidden } from '../caa/caa.ts'
import { caaFix } from '../caa/caa-fix.ts'

/** Why an attempt came to nothing: what the CA says, and what is found out without it. */
export type FailureKind = AcmeProblemKind | 'caa_forbids' | 'budget' | 'interrupted' | 'misfit' | 'fault'

export interface Failure {
  kind: FailureKind
  /** What happened, for whoever owns the name. */
  message: string
  /** The CA's own words, whole. */
  document: AcmeProblemDocument | null
  /** Not before this, the CA or its limits ask. */
  retryAt: number | null
  /** The record that would allow it. */
  add?: { type: string; fqdn: string; value: string }
}

const longestQuote = 600

export function failureFromProblem(problem: AcmeProblem, title: string): Failure {
  const { kind, document, retryAt } = problem
  return { kind, document, retryAt, message: inWords(problem, title) }
}

function inWords({ kind, document }: AcmeProblem, title: string): string {
  const said = document?.detail ?? document?.subproblems?.[0]?.detail
  if (said !== undefined) return `${title} said: "${printableText(said, longestQuote)}"`
  switch (kind) {
    case 'unreachable':
      return `${title} could not be reached.`
    case 'invalid_answer':
      return `${title} answered something that could not be understood.`
    case 'server_internal':
      return `${title} has trouble of its own.`
    default:
      return `${title} refused without saying why.`
  }
}

export function caaFailure(verdict: CaaForbidden): Failure {
  const { at, behind, why, add } = verdict
  const where = behind === null ? at : `${at}, where ${behind} leads to,`
  const message = `The CAA records of ${where} say that ${why}. Nothing was ordered.`
  const failure = { kind: 'caa_forbids', document: null, retryAt: null } as const
  const { sentence, record } = caaFix(verdict)
  if (add === null) return { ...failure, message: `${message} To allow it, ${sentence}.` }
  return { ...failure, message, add: record }
}

export function budgetFailure(title: string, retryAt: number): Failure {
  // Without the time, which is told beside it: the same again is counted, not listed.
  const message = `The limits of ${title} allow no more orders for now. Nothing was ordered.`
  return { kind: 'budget', message, document: null, retryAt }
}

/** The CA came to look at a name while the process that had asked it to was dead. */
export function interruptedFailure({ document }: AcmeProblem, title: string): Failure {
  const message = `This server was restarted while ${title} looked at the name.`
  return { kind: 'interrupted', message, document, retryAt: null }
}

/** An order that is over as soon as it is made: to go on would spend order after order. */
export function expiredFailure(title: string): Failure {
  const message = `${title} made an order that is over already. Perhaps the clock of this server is wrong.`
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
