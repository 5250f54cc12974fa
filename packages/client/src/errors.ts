import { type ProblemCode, problems } from '@masthead/contract/problems.ts'
import type { ProblemDocument } from '@masthead/contract/schemas/problem-document.ts'

/** The API answered with a problem document. */
export class ProblemError extends Error {
  override readonly name = 'ProblemError'
  /** A code of the contract; a newer server may have others. */
  readonly code: ProblemCode | (string & Record<never, never>)
  readonly status: number
  readonly title: string
  readonly detail: string
  /** What to do; empty for an unknown code. */
  readonly fix: string
  readonly requestId: string
  readonly errors: readonly { path: string; message: string }[]
  /** From the Retry-After header. */
  readonly retryAfterMs: number | null
  /** The whole problem document, with code-specific members. */
  readonly document: ProblemDocument

  constructor(document: ProblemDocument, retryAfterMs: number | null = null) {
    super(document.detail)
    this.code = document.code
    this.status = document.status
    this.title = document.title
    this.detail = document.detail
    this.fix = Object.hasOwn(problems, document.code) ? problems[document.code].fix : ''
    this.requestId = document.requestId
    this.errors = document.errors ?? []
    this.retryAfterMs = retryAfterMs
    this.document = document
  }
}

/** A value that no route takes, such as a project called `..`. */
export class ParameterError extends RangeError {
  override readonly name = 'ParameterError'

  constructor(parameter: string, value: string) {
    super(`"${value}" is not a ${parameter}`)
  }
}

/** There was no answer: nothing listens there, or the connection broke. */
export class ConnectionError extends Error {
  override readonly name = 'ConnectionError'
  readonly server: string

  constructor(server: string, cause: unknown) {
    super(`Could not reach ${server}: is the server running?`, { cause })
    this.server = server
  }
}

/** The server has deleted it, but the answer, which would say more, was lost. */
export class LostAnswerError extends Error {
  override readonly name = 'LostAnswerError'

  constructor(cause: unknown) {
    super('The server has done this, but its answer was lost', { cause })
  }
}

/** A list whose pages lead to each other, or that goes on for longer than any list of Masthead. */
export class EndlessListError extends Error {
  override readonly name = 'EndlessListError'

  constructor(what: string) {
    super(`The list has no end: ${what}`)
  }
}

/** For a `fetch` that found out that nothing listens there: trying again would not help. */
export class NobodyThereError extends Error {
  override readonly name = 'NobodyThereError'
}

/** The answer is not from this API, such as an error page of a proxy. */
export class UnexpectedAnswerError extends Error {
  override readonly name = 'UnexpectedAnswerError'
  readonly status: number
  readonly retryAfterMs: number | null

  constructor(server: string, status: number, body: string, retryAfterMs: number | null = null) {
    const said = firstWords(body)
    super(
      `${server} answered with status ${status}, but not as Masthead's API does${said && `. It said "${said}"`}`,
    )
    this.status = status
    this.retryAfterMs = retryAfterMs
  }
}

function firstWords(body: string): string {
  const text = body
    .replace(/<(script|style)\b[\s\S]*?<\/\1>/gi, ' ')
    .replace(/<[^>]*>/g, ' ')
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .trim()
  return text.length > 120 ? `${text.slice(0, 119).trimEnd()}…` : text
}
