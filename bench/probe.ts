import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { request as requestSecurely } from 'node:https'

export interface Probe {
  status: number
  etag: string | undefined
  bytes: number
}

/** Over HTTPS: the name that is asked for, and the root its certificate has to lead to. */
export interface Trust {
  servername: string
  ca: string
}

/** One request, to know before a measurement that all servers give the same answer. */
export async function probe(url: string, headers: Record<string, string>, trust?: Trust): Promise<Probe> {
  const sent =
    trust === undefined
      ? request(url, { headers }).end()
      : requestSecurely(url, { headers, agent: false, ...trust }).end()
  const [response] = (await once(sent, 'response')) as [IncomingMessage]
  let bytes = 0
  for await (const chunk of response as AsyncIterable<Buffer>) bytes += chunk.length
  return { status: response.statusCode ?? 0, etag: response.headers.etag, bytes }
}
