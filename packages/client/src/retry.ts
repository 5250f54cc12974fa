/** When a failed request is sent again. */
export interface RetryPolicy {
  /** The maximum number of attempts, including the first. 1 sends nothing again, not even in an outage. */
  attempts: number
  baseMs: number
  capMs: number
  /** The maximum total wait of one call. */
  totalMs: number
  /** How long a call is repeated in an outage, such as a restart of the server, however many attempts that takes. */
  outageMs: number
  outageCapMs: number
  /** The maximum total wait for a server that has never answered. */
  unreachedMs: number
}

export const defaultRetryPolicy: RetryPolicy = {
  attempts: 5,
  baseMs: 250,
  capMs: 20_000,
  totalMs: 120_000,
  outageMs: 30_000,
  outageCapMs: 4_000,
  unreachedMs: Number.POSITIVE_INFINITY,
}

export interface FailedRequest {
  /** 1 for the first. Failures in an outage and others are counted apart. */
  attempt: number
  method: string
  /** `closed`: nothing listens there, or the connection was closed without an answer. */
  failure: 'network' | 'closed' | { status: number; code?: string | undefined }
  /** From the Retry-After header. */
  retryAfterMs: number | null
  /** The total wait of this call so far. */
  waitedMs: number
  /** The time since its first attempt failed. */
  failingMs: number
  /** From 0 to 1. */
  random: number
}

/** Milliseconds to wait before the next attempt, or null to give up. */
export function retryDelay(failed: FailedRequest, policy: RetryPolicy): number | null {
  if (policy.attempts === 1 || !isRetryable(failed)) return null
  const wait = Math.max(backoff(failed, policy), failed.retryAfterMs ?? 0)
  if (failed.waitedMs + wait > policy.totalMs) return null
  const isPatient = isOutage(failed.failure) && failed.failingMs + wait <= policy.outageMs
  return isPatient || failed.attempt < policy.attempts ? wait : null
}

function backoff({ attempt, failure, random }: FailedRequest, policy: RetryPolicy): number {
  const ceiling = policy.baseMs * 2 ** (attempt - 1)
  // A refused connection fails at once, so without a minimum the attempts would be over before the server is back.
  if (isOutage(failure)) return Math.min(policy.outageCapMs, ceiling) * (0.5 + random / 2)
  return Math.min(policy.capMs, ceiling) * random
}

/** Whether the server is probably restarting, or the proxy before it cannot reach it. */
export function isOutage(failure: FailedRequest['failure']): boolean {
  if (typeof failure === 'string') return failure === 'closed'
  return failure.status === 502 || failure.status === 503 || failure.status === 504
}

/** Of Node.js and of its fetch. */
const closedCodes = ['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET']

/** Whether an error of fetch says that nothing listens there, or that the connection was closed. */
export function isClosedConnection(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  if (error instanceof AggregateError) return error.errors.some(isClosedConnection)
  const { code } = error as { code?: unknown }
  return closedCodes.includes(String(code)) || isClosedConnection(error.cause)
}

/** Whether the server may have got the request and its answer was lost. */
export function mayBeCarriedOut(failure: FailedRequest['failure'], cause: unknown): boolean {
  if (typeof failure === 'string') return !isRefused(cause)
  return failure.status === 502 || failure.status === 504
}

function isRefused(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  if (error instanceof AggregateError) return error.errors.every(isRefused)
  return (error as { code?: unknown }).code === 'ECONNREFUSED' || isRefused(error.cause)
}

function isRetryable({ failure, method }: FailedRequest): boolean {
  // A lost PATCH may have been carried out, and has no Idempotency-Key.
  if (typeof failure === 'string') return method !== 'PATCH'
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
