import { createClient } from '@masthead/client/client.ts'
import { ProblemError } from '@masthead/client/problem-error.ts'
import type { ProblemCode } from '@masthead/contract/problems.ts'

/** The dashboard is only a client of the API; its session is a cookie that the browser sends by itself. */
export const client = createClient({
  server: location.origin,
  // Somebody is waiting in front of it: a short hiccup is passed over, anything longer is told.
  retry: { attempts: 3, totalMs: 3_000 },
})

export function isProblem(error: unknown, ...codes: ProblemCode[]): error is ProblemError {
  return error instanceof ProblemError && codes.some((code) => code === error.code)
}
