import { ConnectionError, ProblemError, UnexpectedAnswerError } from '@masthead/client/problem-error.ts'
import { adviceFor } from './advice.ts'
import { CommandError, Interrupted } from './command-error.ts'
import type { Exit } from './exit-codes.ts'

/** An error as the person and the program at the other end get to see it. */
export interface Failure {
  exit: Exit
  /** What is, then what to do. */
  sentences: string[]
  /** Worth quoting to the operator. */
  requestId: string | null
  document: Record<string, unknown>
}

/** `also` is what commands that are shown end with. */
export function describeFailure(error: unknown, also = ''): Failure {
  if (error instanceof ProblemError) return describeProblem(error, also)
  if (error instanceof CommandError) return local(error.exit, error.code, error.message, error.fix)
  if (error instanceof Interrupted) return local('interrupted', 'interrupted', error.message, '')
  if (error instanceof ConnectionError) {
    const fix = 'Start it with `npm start`, or name another with --server or MASTHEAD_SERVER.'
    return local('unreachable', 'unreachable', error.message, fix)
  }
  if (error instanceof UnexpectedAnswerError) {
    return local('failed', 'unexpected_answer', `${error.message}.`, 'Check --server and MASTHEAD_SERVER.')
  }
  const message = error instanceof Error ? error.message : String(error)
  return local('failed', 'internal', `Something went wrong in masthead itself: ${message}`, '')
}

function local(exit: Exit, code: string, detail: string, fix: string): Failure {
  const document = { type: 'about:blank', title: detail, detail, code, ...(fix === '' ? {} : { fix }) }
  return { exit, sentences: [detail, fix].filter(Boolean), requestId: null, document }
}

function describeProblem(error: ProblemError, also: string): Failure {
  const denied = error.status === 401 || error.status === 403
  const fix = adviceFor(error, also)
  const faults = error.errors
    .filter((fault) => !isSaid(error.detail, fault))
    .map(({ path, message }) => `${path || 'The body'}: ${message}`)
  return {
    exit: denied ? 'denied' : 'failed',
    sentences: [error.detail, ...faults, fix].filter(Boolean),
    requestId: error.status >= 500 ? error.requestId : null,
    document: { ...error.document, ...(fix === '' ? {} : { fix }) },
  }
}

/** Whether the sentence is the fault itself: where there is only one, it often is. */
function isSaid(detail: string, { path, message }: { path: string; message: string }): boolean {
  return [message, `${message}.`, `${path || 'The body'} ${message}.`].includes(detail)
}
