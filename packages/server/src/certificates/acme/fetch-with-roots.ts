import type { IncomingMessage } from 'node:http'
import { Agent, request } from 'node:https'
import { Readable } from 'node:stream'
import { createSecureContext, getCACertificates } from 'node:tls'
import type { Fetch } from './exchange.ts'

const statusesWithoutBody = [204, 205, 304]

/** A fetch for HTTPS that also trusts these roots, which the built-in fetch cannot do per call. */
export function fetchWithRoots(rootsPem: string): Fetch {
  // Created once: passed as `ca`, all roots would be parsed per connection, which is half the cost of an order.
  const secureContext = createSecureContext({ ca: [...getCACertificates('default'), rootsPem] })
  const agent = new Agent({ keepAlive: true, secureContext })
  return async (url, init) => {
    const message = await send(agent, url, init)
    const headers = new Headers()
    for (const [name, values] of Object.entries(message.headersDistinct)) {
      for (const value of values ?? []) headers.append(name, value)
    }
    const status = message.statusCode ?? 0
    const bodiless = init.method === 'HEAD' || statusesWithoutBody.includes(status)
    if (!bodiless) return new Response(Readable.toWeb(message), { status, headers })
    message.resume()
    return new Response(null, { status, headers })
  }
}

async function send(agent: Agent, url: string, init: RequestInit): Promise<IncomingMessage> {
  const { method = 'GET', headers, body, signal } = init
  const outgoing = request(url, {
    agent,
    method,
    headers: Object.fromEntries(new Headers(headers)),
    ...(signal && { signal }),
  })
  const result = Promise.withResolvers<IncomingMessage>()
  outgoing.on('response', result.resolve)
  outgoing.on('error', (error: NodeJS.ErrnoException) => {
    // The server closed an idle connection just as we reused it: try another one.
    const wasIdleClosed = outgoing.reusedSocket && error.code === 'ECONNRESET'
    if (wasIdleClosed) result.resolve(send(agent, url, init))
    else result.reject(error)
  })
  outgoing.end(body ?? undefined)
  return result.promise
}
