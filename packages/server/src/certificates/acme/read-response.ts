import type { z } from 'zod'
import type { AcmeResponse } from './exchange.ts'
import { AcmeProblem, problemDocument, problemFromResponse } from './problem.ts'

export function isSuccess({ status }: AcmeResponse): boolean {
  return status >= 200 && status < 300
}

/** From the problem document, or from the status if there is none. */
export function readProblem(response: AcmeResponse): AcmeProblem {
  const { status, retryAt } = response
  const document = problemDocument.safeParse(parseJson(response))
  if (hasType(response, 'application/problem+json') && document.success) {
    return problemFromResponse(document.data, { status, retryAt })
  }
  const kind = status === 429 ? 'rate_limited' : status >= 500 ? 'server_internal' : 'invalid_answer'
  return new AcmeProblem(kind, `${response.url} responded with ${status} and no reason`, { status, retryAt })
}

export function readJson<T>(response: AcmeResponse, schema: z.ZodType<T>): T {
  if (!isSuccess(response)) throw readProblem(response)
  requireType(response, 'application/json')
  const parsed = schema.safeParse(parseJson(response))
  if (parsed.success) return parsed.data
  const issue = parsed.error.issues[0]
  throw invalidResponse(
    response,
    `${issue?.path.join('.') || 'the body'}: ${issue?.message ?? 'not as expected'}`,
  )
}

export function requireType(response: AcmeResponse, type: string): void {
  if (!hasType(response, type)) throw invalidResponse(response, `it should be ${type}`)
}

export function invalidResponse({ url, status }: AcmeResponse, why: string): AcmeProblem {
  return new AcmeProblem('invalid_answer', `The response of ${url} is invalid: ${why}`, { status })
}

function hasType({ headers }: AcmeResponse, type: string): boolean {
  return headers.get('content-type')?.split(';')[0]?.trim().toLowerCase() === type
}

function parseJson({ body }: AcmeResponse): unknown {
  try {
    return JSON.parse(body)
  } catch {
    return undefined
  }
}
