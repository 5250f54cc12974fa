import { type ProblemCode, problems } from '@masthead/contract/problems.ts'

/**
 * An error response. `detail` is for the person, `cause` only for the operator's log, `extra` becomes members of the
 * problem document, and `headers` are sent with it.
 */
export class Problem extends Error {
  override readonly name = 'Problem'
  readonly code: ProblemCode
  readonly extra: Readonly<Record<string, unknown>>
  readonly headers: Readonly<Record<string, string>>

  constructor(
    code: ProblemCode,
    detail: string,
    more: { extra?: Record<string, unknown>; headers?: Record<string, string>; cause?: unknown } = {},
  ) {
    super(detail, more.cause === undefined ? undefined : { cause: more.cause })
    this.code = code
    this.extra = more.extra ?? {}
    this.headers = more.headers ?? {}
  }

  get status(): number {
    return problems[this.code].status
  }
}

/**
 * The edge requests this path from the API in place of a request it cannot parse, so that the error is counted and
 * answered like any other, whichever process the API runs in. Clients that request it directly get an error too.
 */
export const unreadablePath = '/v1/unreadable'
