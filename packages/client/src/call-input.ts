import type { endpoints } from '@masthead/contract/endpoints.ts'
import type { EndpointName, Sends } from '@masthead/contract/routes.ts'

/** Content as it is. A stream can be read once only, so a call that sends one is never repeated. */
export type Bytes = Blob | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array>

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
  type: 'application/gzip' | 'application/zip'
}

type Body<N extends EndpointName> = N extends 'putFile'
  ? { body: Bytes }
  : N extends 'createDeployment'
    ? Part<'body', Sends<N, 'body'>> | Archive
    : N extends 'putFiles'
      ? Archive
      : Part<'body', Sends<N, 'body'>>

/** Null: from a server that has no versions, so that whatever is there is replaced. */
type Condition<N extends EndpointName> = (typeof endpoints)[N] extends {
  versioned: true
  route: `PUT ${string}`
}
  ? { ifMatch?: string | null }
  : Nothing

/** What a call of one endpoint takes: the parts that its schemas name, and no others. */
export type CallInput<N extends EndpointName> = Part<'params', Sends<N, 'params'>> &
  Part<'query', Sends<N, 'query'>> &
  Body<N> &
  Condition<N> & { signal?: AbortSignal | undefined }

/** The same, as the code that sends it sees every endpoint. */
export interface AnyCallInput extends Partial<Archive> {
  params?: Record<string, string>
  query?: Record<string, unknown>
  body?: unknown
  ifMatch?: string | null
  signal?: AbortSignal | undefined
}
