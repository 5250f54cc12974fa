import type { z } from 'zod'
import type { AcmeAnswer } from './exchange.ts'
import { AcmeProblem, problemDocument, problemFromAnswer } from './problem.ts'

export function isSuccess({ status }: AcmeAnswer): boolean {
  return status >= 200 && status < 300
}

/** What the CA said, or what its silence comes to. */
export function problemOf(answer: AcmeAnswer): AcmeProblem {
  const { status, retryAt } = answer
  const document = problemDocument.safeParse(parseJson(answer))
  if (hasType(answer, 'application/problem+json') && document.success) {
    return problemFromAnswer(document.data, { status, retryAt })
  }
  const kind = status === 429 ? 'rate_limited' : status >= 500 ? 'server_internal' : 'invalid_answer'
  return new AcmeProblem(kind, `${answer.url} answered ${status} without saying why`, { status, retryAt })
}

export function readJson<T>(answer: AcmeAnswer, schema: z.ZodType<T>): T {
  if (!isSuccess(answer)) throw problemOf(answer)
  requireType(answer, 'application/json')
  const parsed = schema.safeParse(parseJson(answer))
  if (parsed.success) return parsed.data
  const issue = parsed.error.issues[0]
  throw invalid(answer, `${issue?.path.join('.') || 'the answer'}: ${issue?.message ?? 'not as expected'}`)
}

export function requireType(answer: AcmeAnswer, type: string): void {
  if (!hasType(answer, type)) throw invalid(answer, `it should be ${type}`)
}

export function invalid({ url, status }: AcmeAnswer, why: string): AcmeProblem {
  return new AcmeProblem('invalid_answer', `The answer of ${url} makes no sense: ${why}`, { status })
}

function hasType({ headers }: AcmeAnswer, type: string): boolean {
  return headers.get('content-type')?.split(';')[0]?.trim().toLowerCase() === type
}

function parseJson({ body }: AcmeAnswer): unknown {
  try {
    return JSON.parse(body)
  } catch {
    return undefined
  }
}
