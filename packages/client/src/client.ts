import type { Endpoint } from '@masthead/contract/endpoints/endpoint.ts'
import { type EndpointName, endpoints } from '@masthead/contract/endpoints.ts'
import type { Answer } from '@masthead/contract/routes.ts'
import {
  ConnectionError,
  LostAnswerError,
  NobodyThereError,
  ProblemError,
  UnexpectedAnswerError,
} from './errors.ts'
import {
  type AnyCallInput,
  type AnyFetch,
  buildRequest,
  type CallerOptions,
  type CallInput,
  callerHeaders,
  type FetchInit,
  type OutgoingRequest,
} from './request.ts'
import { readResponse } from './response.ts'
import {
  defaultRetryPolicy,
  type FailedRequest,
  isClosedConnection,
  isOutage,
  mayBeCarriedOut,
  type RetryPolicy,
  retryDelay,
  sleep,
} from './retry.ts'
import { streamChanges } from './stream-changes.ts'

/** Endpoints that answer once. */
type CalledName = {
  [N in EndpointName]: (typeof endpoints)[N] extends { answers: 'text/event-stream' } ? never : N
}[EndpointName]

/** One method per endpoint. The argument is optional if all of its parts are. */
export type Client = { readonly [N in CalledName]: Call<N> } & {
  /** Yields when the stream is open, then whenever something in the account may have changed. It is not reopened. */
  readonly streamChanges: (input?: {
    signal?: AbortSignal | undefined
  }) => AsyncGenerator<void, void, undefined>
}

type Call<N extends EndpointName> =
  Record<never, never> extends CallInput<N>
    ? (input?: CallInput<N>) => Promise<Result<N>>
    : (input: CallInput<N>) => Promise<Result<N>>

/** The ETag is null if the server sends none. */
type Result<N extends EndpointName> = (typeof endpoints)[N] extends { versioned: true }
  ? Answer<N> & { etag: string | null }
  : Answer<N>

export interface Retry {
  /** Null if it is not in the table. */
  endpoint: EndpointName | null
  /** The number of the failed attempt, from 1. */
  attempt: number
  waitMs: number
  /** Whether the server cannot be reached for now, such as during a restart. */
  isOutage: boolean
  error: ProblemError | ConnectionError | UnexpectedAnswerError
}

export interface Success {
  endpoint: EndpointName
  status: number
  answer: unknown
  /** The version of Masthead that it names; null if it names none. */
  version: string | null
}

export interface ClientOptions extends CallerOptions {
  /** The origin of the API, e.g. `http://localhost:8080`. */
  server: string
  fetch?: AnyFetch
  retry?: Partial<RetryPolicy>
  /** Called before each wait. */
  onRetry?: (retry: Retry) => void
  /** Whether a success is one of this endpoint. Otherwise it is an error. */
  recognize?: (success: Success) => Promise<boolean>
  sleep?: (ms: number, signal?: AbortSignal) => Promise<void>
  random?: () => number
}

/** Sends a request with retries. Resolves to its answer. */
export type Send = (
  request: OutgoingRequest,
  more?: {
    endpoint?: EndpointName
    ifMatch?: string | null | undefined
    signal?: AbortSignal | undefined
  },
) => Promise<unknown>

/** For requests that are not in the table of endpoints, such as those of a newer server. */
export function createSender(options: ClientOptions): Send {
  const policy = { ...defaultRetryPolicy, ...options.retry }
  /** Before the server has answered, when it may not exist at all. */
  const unreachedPolicy = { ...policy, outageMs: Math.min(policy.outageMs, policy.unreachedMs) }
  const wait = options.sleep ?? sleep
  const random = options.random ?? Math.random
  let isReached = false
  /** Whether the server has accepted the key or session. */
  let isKnown = false

  return async (request, { endpoint = null, ifMatch, signal } = {}) => {
    const headers = headersOf(request, options, ifMatch)
    const failures = { outage: 0, other: 0 }
    let waitedMs = 0
    let failingMs = 0
    let mayBeDone = false
    for (let attempt = 1; ; attempt++) {
      const startedAt = performance.now()
      try {
        const answer = await send(options, request, endpoint, headers, signal)
        isReached = true
        isKnown ||= endpoint !== null && !isPublic(endpoint)
        return answer
      } catch (error) {
        if (!isFailedAttempt(error) || !request.replayable) throw error
        if (mayBeDone && endpoint !== null && isDone(endpoint, error, isKnown))
          return answerOfLostDelete(endpoint, error)
        const described = describe(error)
        const inOutage = isOutage(described.failure)
        // A proxy that cannot reach the server answers too.
        isReached ||= error instanceof ProblemError || !(inOutage || error instanceof ConnectionError)
        if (attempt > 1) failingMs += performance.now() - startedAt
        const count = ++failures[inOutage ? 'outage' : 'other']
        const { method } = request
        mayBeDone ||= method === 'DELETE' && mayBeCarriedOut(described.failure, error.cause)
        const waitMs = retryDelay(
          { ...described, attempt: count, method, waitedMs, failingMs, random: random() },
          isReached ? policy : unreachedPolicy,
        )
        if (waitMs === null) throw error
        if (!isReached && isNobodyThere(error, waitedMs + waitMs)) throw error
        options.onRetry?.({ endpoint, attempt, waitMs, isOutage: inOutage, error })
        await wait(waitMs, signal)
        waitedMs += waitMs
        failingMs += waitMs
      }
    }
  }

  function isNobodyThere(error: Retry['error'], waitedMs: number): boolean {
    if (!(error instanceof ConnectionError)) return false
    return waitedMs > policy.unreachedMs || error.cause instanceof NobodyThereError
  }
}

export function createClient(options: ClientOptions): Client {
  const send = createSender(options)
  const call = async (endpoint: EndpointName, input: AnyCallInput = {}) =>
    send(buildRequest(options.server, endpoint, input), { ...input, endpoint })
  const names = (Object.keys(endpoints) as EndpointName[]).filter(isCalled)
  return {
    ...Object.fromEntries(names.map((name) => [name, (input?: AnyCallInput) => call(name, input)])),
    streamChanges: ({ signal }: { signal?: AbortSignal } = {}) => streamChanges(options, signal),
  } as unknown as Client
}

/**
 * Whether the problem of a repeated DELETE says that an earlier attempt was carried out. That the server knows the caller
 * no more says so only if it did before: with a key that has expired, nothing is deleted.
 */
function isDone(name: EndpointName, error: Retry['error'], isKnown: boolean): boolean {
  const { doneIf = [] }: Endpoint = endpoints[name]
  const codes: readonly string[] = isKnown ? ['not_found', ...doneIf] : ['not_found']
  return error instanceof ProblemError && codes.includes(error.code)
}

function isPublic(name: EndpointName): boolean {
  const { access }: Endpoint = endpoints[name]
  return access === 'public'
}

/** An earlier attempt deleted it. */
function answerOfLostDelete(name: EndpointName, error: unknown): undefined {
  const { status }: Endpoint = endpoints[name]
  if (status === 204) return undefined
  throw new LostAnswerError(error)
}

function isCalled(name: EndpointName): name is CalledName {
  const endpoint: Endpoint = endpoints[name]
  return endpoint.answers !== 'text/event-stream'
}

function headersOf(
  request: OutgoingRequest,
  caller: CallerOptions,
  ifMatch: string | null | undefined,
): Record<string, string> {
  return {
    accept: 'application/json',
    ...callerHeaders(caller),
    ...(request.contentType === null ? {} : { 'content-type': request.contentType }),
    ...(ifMatch ? { 'if-match': ifMatch } : {}),
    // The same for all attempts, so that a retried request is carried out once.
    ...(request.once ? { 'idempotency-key': newIdempotencyKey() } : {}),
  }
}

/** Not randomUUID, which browsers have only on HTTPS and localhost. */
function newIdempotencyKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}

async function send(
  { server, fetch = globalThis.fetch, recognize = async () => true }: ClientOptions,
  { url, method, body, replayable, versioned }: OutgoingRequest,
  endpoint: EndpointName | null,
  headers: Record<string, string>,
  signal: AbortSignal | undefined,
): Promise<unknown> {
  const init: FetchInit = { method, headers }
  if (body !== null) init.body = body
  if (!replayable) init.duplex = 'half'
  if (signal !== undefined) init.signal = signal
  try {
    const response = await fetch(url, init)
    const version = response.headers.get('masthead-version')
    const isExpected = async (answer: unknown) => {
      if (endpoint === null) return true
      return (
        isPlausible(endpoint, answer) && recognize({ endpoint, status: response.status, answer, version })
      )
    }
    const answer = await readResponse(server, response, Date.now(), isExpected)
    return versioned ? { ...(answer as object), etag: response.headers.get('etag') } : answer
  } catch (error) {
    signal?.throwIfAborted()
    if (isFailedAttempt(error)) throw error
    throw new ConnectionError(server, error)
  }
}

/** Whether a value is at all of the kind that the endpoint answers with. */
function isPlausible(name: EndpointName, value: unknown): boolean {
  const { status, answers }: Endpoint = endpoints[name]
  if (status === 204) return true
  if (answers !== undefined) return typeof value === 'string'
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function isFailedAttempt(error: unknown): error is Retry['error'] {
  return (
    error instanceof ProblemError ||
    error instanceof UnexpectedAnswerError ||
    error instanceof ConnectionError
  )
}

function describe(error: Retry['error']): Pick<FailedRequest, 'failure' | 'retryAfterMs'> {
  if (error instanceof ConnectionError) {
    return { failure: isClosedConnection(error.cause) ? 'closed' : 'network', retryAfterMs: null }
  }
  const code = error instanceof ProblemError ? error.code : undefined
  return { failure: { status: error.status, code }, retryAfterMs: error.retryAfterMs }
}
