import type { Endpoint } from '@masthead/contract/endpoints/endpoint.ts'
import type { ProblemDocument } from '@masthead/contract/schemas/problem-document.ts'
import { ProblemError, UnexpectedAnswerError } from './errors.ts'
import type { FetchedAnswer } from './request.ts'
import { parseRetryAfter } from './retry.ts'

/** The value of a successful response. Throws for any other. */
export async function readResponse(server: string, response: FetchedAnswer, now: number): Promise<unknown> {
  const text = await response.text()
  if (response.ok && text === '') return undefined
  if (response.ok && isText(response)) return text
  const value = parseJson(text)
  if (response.ok && value !== undefined) return value
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
  return (
    typeof value === 'object' &&
    value !== null &&
    'code' in value &&
    typeof value.code === 'string' &&
    'detail' in value &&
    typeof value.detail === 'string'
  )
}
