import type { z } from 'zod'
import type { AcmeResponse } from './exchange.ts'
import { AcmeProblem, problemDocument, problemFromResponse } from './problem.ts'

export function isSuccess({ status }: AcmeResponse): boolean {
  return status >= 200 && status < 300
}

/** What the CA said, or what its silence comes to. */
export function readProblem(answer: AcmeResponse): AcmeProblem {
  const { status, retryAt } = answer
  const document = problemDocument.safeParse(parseJson(answer))
  if (hasType(answer, 'application/problem+json') && document.success) {
    return problemFromResponse(document.data, { status, retryAt })
  }
  const kind = status === 429 ? 'rate_limited' : status >= 500 ? 'server_internal' : 'invalid_answer'
  return new AcmeProblem(kind, `${answer.url} answered ${status} without saying why`, { status, retryAt })
}

export function readJson<T>(answer: AcmeResponse, schema: z.ZodType<T>): T {
  if (!isSuccess(answer)) throw readProblem(answer)
  requireType(answer, 'application/json')
  const parsed = schema.safeParse(parseJson(answer))
  if (parsed.success) return parsed.data
  const issue = parsed.error.issues[0]
  throw invalidResponse(
    answer,
    `${issue?.path.join('.') || 'the answer'}: ${issue?.message ?? 'not as expected'}`,
  )
}

export function requireType(answer: AcmeResponse, type: string): void {
  if (!hasType(answer, type)) throw invalidResponse(answer, `it should be ${type}`)
}

export function invalidResponse({ url, status }: AcmeResponse, why: string): AcmeProblem {
  return new AcmeProblem('invalid_answer', `The answer of ${url} makes no sense: ${why}`, { status })
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
