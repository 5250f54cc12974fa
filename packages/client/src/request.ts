import { accountHeader, type Endpoint } from '@masthead/contract/endpoints/endpoint.ts'
import type { EndpointName } from '@masthead/contract/endpoints.ts'
import { endpoints } from '@masthead/contract/endpoints.ts'
import type { Sends } from '@masthead/contract/routes.ts'
import type { Id } from '@masthead/contract/schemas/fields.ts'
import { ParameterError } from './errors.ts'

/** Raw content. A stream can be read only once, so a call that sends one is never retried. */
export type Bytes = Blob | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array>

/** What is used of `fetch`. The global one will do, and so will something smaller. */
export type AnyFetch = (url: URL, init?: FetchInit) => Promise<FetchedAnswer>

export interface FetchInit {
  method?: string
  headers?: Record<string, string>
  body?: Bytes | string
  /** For bodies that are streams. */
  duplex?: 'half'
  signal?: AbortSignal
}

/** Who makes the calls. */
export interface CallerOptions {
  /** Not set in the dashboard, which uses a session cookie. */
  key?: string | undefined
  /** The account that a signed-in person acts in. */
  account?: Id<'account'> | undefined
}

export function callerHeaders({ key, account }: CallerOptions): Record<string, string> {
  return {
    ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
    ...(account === undefined ? {} : { [accountHeader]: account }),
  }
}

export interface FetchedAnswer extends Pick<Response, 'ok' | 'status' | 'text' | 'body'> {
  readonly headers: Pick<Headers, 'get'>
}

type Nothing = Record<never, never>

type Part<Name extends string, Value> = [Value] extends [undefined]
  ? Nothing
  : undefined extends Value
    ? { [K in Name]?: Value }
    : Nothing extends Value
      ? { [K in Name]?: Value | undefined }
      : { [K in Name]: Value }

interface Archive {
  archive: Bytes
  type: 'application/gzip' | 'application/x-tar' | 'application/zip'
}

type Body<N extends EndpointName> = N extends 'putFile'
  ? { body: Bytes }
  : N extends 'createDeployment'
    ? Part<'body', Sends<N, 'body'>> | Archive
    : N extends 'putFiles'
      ? Archive
      : Part<'body', Sends<N, 'body'>>

/** Null replaces any version, for servers that send no ETag. */
type Condition<N extends EndpointName> = (typeof endpoints)[N] extends {
  versioned: true
  route: `PUT ${string}`
}
  ? { ifMatch?: string | null }
  : Nothing

/** The input of an endpoint: exactly the parts that its schemas name. */
export type CallInput<N extends EndpointName> = Part<'params', Sends<N, 'params'>> &
  Part<'query', Sends<N, 'query'>> &
  Body<N> &
  Condition<N> & { signal?: AbortSignal | undefined }

/** The input of any endpoint. */
export interface AnyCallInput extends Partial<Archive> {
  params?: Record<string, string>
  query?: Record<string, unknown>
  body?: unknown
  ifMatch?: string | null
  signal?: AbortSignal | undefined
}

export interface OutgoingRequest {
  method: string
  url: URL
  contentType: string | null
  body: Bytes | string | null
  /** Whether the body can be sent again. */
  replayable: boolean
  /** Whether the answer has an ETag. */
  versioned: boolean
  /** Whether it has an Idempotency-Key, so that it is not carried out twice. */
  once: boolean
}

export function buildRequest(server: string, name: EndpointName, input: AnyCallInput): OutgoingRequest {
  const { route, versioned, repeatable, oneTime }: Endpoint = endpoints[name]
  const [method = '', template = ''] = route.split(' ')
  const url = new URL(fillTemplate(template, input.params ?? {}), server)
  for (const [key, value] of Object.entries(input.query ?? {})) {
    if (value !== undefined) url.searchParams.set(key, String(value))
  }
  const { contentType, body } = bodyOf(input)
  return {
    method,
    url,
    contentType,
    body,
    replayable: !(body instanceof ReadableStream),
    versioned: versioned === true,
    once: oneTime === true || (method === 'POST' && repeatable !== true),
  }
}

function bodyOf({ archive, type, body }: AnyCallInput): Pick<OutgoingRequest, 'contentType' | 'body'> {
  if (archive !== undefined) return { contentType: type ?? null, body: archive }
  if (body === undefined) return { contentType: null, body: null }
  if (isBytes(body)) return { contentType: 'application/octet-stream', body }
  return { contentType: 'application/json', body: JSON.stringify(body) }
}

function isBytes(body: unknown): body is Bytes {
  return body instanceof Uint8Array || body instanceof Blob || body instanceof ReadableStream
}

function fillTemplate(template: string, params: Record<string, string>): string {
  return template.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = params[name] ?? ''
    // URL parsing resolves even encoded dot segments, which would lead to another route.
    if (value === '' || value === '.' || value === '..') throw new ParameterError(name, value)
    return encodeURIComponent(value)
  })
}
