/** When a failed request is sent again. */
export interface RetryPolicy {
  /** The maximum number of attempts, including the first. */
  attempts: number
  baseMs: number
  capMs: number
  /** The maximum total wait of one call. */
  totalMs: number
  /** The maximum total wait for a server that has never answered. */
  unreachedMs: number
}

export const defaultRetryPolicy: RetryPolicy = {
  attempts: 5,
  baseMs: 250,
  capMs: 20_000,
  totalMs: 120_000,
  unreachedMs: Number.POSITIVE_INFINITY,
}

export interface FailedRequest {
  /** 1 for the first. */
  attempt: number
  method: string
  failure: 'network' | { status: number; code?: string | undefined }
  /** From the Retry-After header. */
  retryAfterMs: number | null
  /** The total wait of this call so far. */
  waitedMs: number
  /** From 0 to 1. */
  random: number
}

/** Milliseconds to wait before the next attempt, or null to give up. */
export function retryDelay(failed: FailedRequest, policy: RetryPolicy): number | null {
  if (failed.attempt >= policy.attempts || !isRetryable(failed)) return null
  const ceiling = Math.min(policy.capMs, policy.baseMs * 2 ** (failed.attempt - 1))
  const wait = Math.max(failed.random * ceiling, failed.retryAfterMs ?? 0)
  return failed.waitedMs + wait > policy.totalMs ? null : wait
}

function isRetryable({ failure, method }: FailedRequest): boolean {
  // A lost PATCH may have been carried out, and has no Idempotency-Key.
  if (failure === 'network') return method !== 'PATCH'
  if (failure.status === 502 || failure.status === 504) return method !== 'PATCH'
  if (failure.code === 'idempotency_conflict') return true
  // A person at a sign-in form should not wait silently, and guessing must not be automated.
  if (failure.code === 'too_many_attempts') return false
  // A ban is long and comes from ignoring limits, so the caller has to know.
  if (failure.code === 'key_banned') return false
  return failure.status === 429 || failure.status === 503
}

/** The wait in a Retry-After header (RFC 9110, 10.2.3) in milliseconds; null if there is none. */
export function parseRetryAfter(value: string | null, now: number): number | null {
  const text = value?.trim() ?? ''
  if (/^\d+$/.test(text)) return Number(text) * 1000
  if (!/^[A-Z][a-z]{2,8},? /.test(text)) return null
  const date = Date.parse(text)
  return Number.isNaN(date) ? null : Math.max(0, date - now)
}

/** Rejects with the reason if the signal aborts. */
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
