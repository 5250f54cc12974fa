import type { Endpoint } from '@masthead/contract/endpoints/endpoint.ts'
import type { ProblemDocument } from '@masthead/contract/schemas/problem-document.ts'
import { ProblemError, UnexpectedAnswerError } from './errors.ts'
import type { FetchedAnswer } from './request.ts'
import { parseRetryAfter } from './retry.ts'

/** The value of a successful response. Throws for any other, and if `isExpected` says that it is none of Masthead's. */
export async function readResponse(
  server: string,
  response: FetchedAnswer,
  now: number,
  isExpected: (value: unknown) => boolean | Promise<boolean> = () => true,
): Promise<unknown> {
  const text = await response.text()
  const value = response.ok && isText(response) ? text : parseJson(text)
  if (response.ok && (value !== undefined || text === '') && (await isExpected(value))) return value
  const retryAfterMs = parseRetryAfter(response.headers.get('retry-after'), now)
  if (!response.ok && isProblem(value)) {
    throw new ProblemError({ ...value, status: response.status }, retryAfterMs)
  }
  throw new UnexpectedAnswerError(server, response.status, text, retryAfterMs)
}

/** A few endpoints answer with PEM instead of JSON. */
function isText({ headers }: FetchedAnswer): boolean {
  return headers.get('content-type') === ('application/x-pem-file' satisfies Endpoint['answers'])
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function isProblem(value: unknown): value is ProblemDocument {
  if (typeof value !== 'object' || value === null) return false
  const { code, title, detail, requestId, errors = [] }: Partial<Record<string, unknown>> = { ...value }
  const texts = [code, title, detail, requestId]
  return (
    texts.every((text) => typeof text === 'string') && Array.isArray(errors) && errors.every(isFieldError)
  )
}

function isFieldError(error: unknown): boolean {
  const { path, message }: Partial<Record<string, unknown>> = { ...Object(error) }
  return typeof path === 'string' && typeof message === 'string'
}
