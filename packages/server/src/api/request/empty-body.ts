import { Readable } from 'node:stream'
import type { FastifyRequest } from 'fastify'
import { isJson } from './json-body.ts'

/** Whether the request names the type of a body and has none, as those of clients that name it with every request. */
export function isTypedButEmpty({ headers, raw }: FastifyRequest): boolean {
  if (headers['content-type'] === undefined) return false
  const length = headers['content-length']
  if (raw.httpVersionMajor === 1)
    return headers['transfer-encoding'] === undefined && (length === undefined || Number(length) === 0)
  return length !== undefined && Number(length) === 0
}

/**
 * A body that ends at once: node never ends that of a request without one. Where nothing is expected, clients may call
 * it JSON.
 */
export function emptyBody(request: FastifyRequest): Readable {
  if (isJson(request) && request.routeOptions.config.hasNoBody === true)
    delete request.headers['content-type']
  return Readable.from([])
}
