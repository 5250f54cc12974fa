import type { Endpoint } from '@masthead/contract/endpoints/endpoint.ts'
import { type EndpointName, endpoints } from '@masthead/contract/endpoints.ts'
import type { AnyCallInput, Bytes } from './call-input.ts'

export interface OutgoingRequest {
  method: string
  url: URL
  contentType: string | null
  body: Bytes | string | null
  /** Whether the body can be sent a second time. */
  replayable: boolean
  /** Whether the answer tells which version it is. */
  versioned: boolean
}

/** The request that a call stands for. */
export function outgoingRequest(server: string, name: EndpointName, input: AnyCallInput): OutgoingRequest {
  const { route, versioned }: Endpoint = endpoints[name]
  const [method = '', template = ''] = route.split(' ')
  const url = new URL(fillIn(template, input.params ?? {}), server)
  for (const [key, value] of Object.entries(input.query ?? {})) {
    if (value !== undefined) url.searchParams.set(key, String(value))
  }
  const { contentType, body } = content(input)
  return {
    method,
    url,
    contentType,
    body,
    replayable: !(body instanceof ReadableStream),
    versioned: versioned === true,
  }
}

function content({ archive, type, body }: AnyCallInput): Pick<OutgoingRequest, 'contentType' | 'body'> {
  if (archive !== undefined) return { contentType: type ?? null, body: archive }
  if (body === undefined) return { contentType: null, body: null }
  if (isBytes(body)) return { contentType: 'application/octet-stream', body }
  return { contentType: 'application/json', body: JSON.stringify(body) }
}

function isBytes(body: unknown): body is Bytes {
  return body instanceof Uint8Array || body instanceof Blob || body instanceof ReadableStream
}

function fillIn(template: string, params: Record<string, string>): string {
  return template.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = params[name] ?? ''
    // URLs resolve dot segments even when they are encoded, which would name another route.
    if (value === '' || value === '.' || value === '..') throw new RangeError(`"${value}" is not a ${name}`)
    return encodeURIComponent(value)
  })
}
