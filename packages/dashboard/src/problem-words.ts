import { ConnectionError, ProblemError } from '@masthead/client/errors.ts'

export interface ProblemWords {
  /** What happened. */
  what: string
  /** What to do. */
  fix: string
  /** For the operator, if the fault is on our side. */
  requestId: string | null
}

export function problemWords(error: unknown): ProblemWords {
  // Its message is for programmers.
  if (error instanceof TypeError) {
    const what = 'The server gave an answer that this page does not expect.'
    return { what, fix: 'Reload the page: it may be older than the server.', requestId: null }
  }
  // The client speaks to programmers, who may have started the server.
  if (error instanceof ConnectionError) {
    const what = `Could not reach ${error.server}.`
    return { what, fix: 'Check your connection, then try again.', requestId: null }
  }
  if (!(error instanceof ProblemError)) {
    const what = error instanceof Error ? error.message : 'Something went wrong.'
    return { what: asSentence(what), fix: '', requestId: null }
  }
  // The API speaks to programs, which send a key.
  if (error.code === 'unauthenticated')
    return { what: 'Your session ended.', fix: 'Sign in, then try again.', requestId: null }
  return {
    what: asSentence(
      [error.detail, ...error.errors.map((each) => `${each.path}: ${each.message}`)].join(' '),
    ),
    fix: fixWords(error),
    requestId: error.status >= 500 ? error.requestId : null,
  }
}

/** Shows Retry-After as a time, unless the detail already mentions it. */
function fixWords({ detail, fix, retryAfterMs }: ProblemError): string {
  if (retryAfterMs === null)
    return fix.replace(/^Try again after the time in Retry-After\./, 'Try again in a moment.')
  return /\btry again in\b/i.test(detail) ? '' : `Try again in ${waitWords(retryAfterMs)}.`
}

function asSentence(text: string): string {
  return /[.?!"]$/.test(text) ? text : `${text}.`
}

function waitWords(ms: number): string {
  const seconds = Math.max(1, Math.ceil(ms / 1000))
  if (seconds < 90) return `${seconds} s`
  return `${Math.ceil(seconds / 60)} min`
}
