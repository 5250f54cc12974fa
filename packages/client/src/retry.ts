/** How long a client keeps trying before it tells its caller. */
export interface RetryPolicy {
  /** How often a request is sent at most, the first time included. */
  attempts: number
  baseMs: number
  capMs: number
  /** What all waits of one call may add up to. */
  totalMs: number
}

export const defaultRetryPolicy: RetryPolicy = {
  attempts: 5,
  baseMs: 250,
  capMs: 20_000,
  totalMs: 120_000,
}

export interface FailedRequest {
  /** 1 for the first. */
  attempt: number
  method: string
  failure: 'network' | { status: number; code?: string | undefined }
  /** What the answer's Retry-After asks for, from now. */
  retryAfterMs: number | null
  /** What this call has waited already. */
  waitedMs: number
  /** From 0 to 1. */
  random: number
}

/** How many milliseconds to wait before sending the request once more, or null to give up. */
export function retryDelay(failed: FailedRequest, policy: RetryPolicy): number | null {
  if (failed.attempt >= policy.attempts || !isRetryable(failed)) return null
  const ceiling = Math.min(policy.capMs, policy.baseMs * 2 ** (failed.attempt - 1))
  const wait = Math.max(failed.random * ceiling, failed.retryAfterMs ?? 0)
  return failed.waitedMs + wait > policy.totalMs ? null : wait
}

function isRetryable({ failure, method }: FailedRequest): boolean {
  // A PATCH that got lost on the way may have been carried out, and has no Idempotency-Key to tell.
  if (failure === 'network') return method !== 'PATCH'
  if (failure.status === 502 || failure.status === 504) return method !== 'PATCH'
  if (failure.code === 'idempotency_conflict') return true
  // A person at a sign-in form wants to know at once; a program that guesses must not be helped.
  if (failure.code === 'too_many_attempts') return false
  // Bans are long, and come from going on: whoever runs the program has to see it.
  if (failure.code === 'key_banned') return false
  return failure.status === 429 || failure.status === 503
}

/** Milliseconds from `now` that a Retry-After header asks for (RFC 9110, 10.2.3), or null when it says nothing. */
export function parseRetryAfter(value: string | null, now: number): number | null {
  const text = value?.trim() ?? ''
  if (/^\d+$/.test(text)) return Number(text) * 1000
  if (!/^[A-Z][a-z]{2,8},? /.test(text)) return null
  const date = Date.parse(text)
  return Number.isNaN(date) ? null : Math.max(0, date - now)
}

/** Waits; an aborted signal ends the wait with its reason. */
export function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason)
    const onAbort = () => {
      clearTimeout(timer)
      reject(signal?.reason)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', onAbort)
      resolve()
    }, ms)
    signal?.addEventListener('abort', onAbort, { once: true })
  })
}
