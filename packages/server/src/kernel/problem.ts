import { type ProblemCode, problems } from '@masthead/contract/problems.ts'

/**
 * An answer that is not a success. `detail` is for the person who asked, `cause` only for the operator's log,
 * `extra` becomes members of the problem document, `headers` go beside it.
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
 * What the edge asks the API for in place of a request that cannot be read, with the status to refuse it with: so it is
 * counted and answered like any other, in whichever process the API runs. Whoever asks for it themselves is refused too.
 */
export const unreadablePath = '/v1/unreadable'
