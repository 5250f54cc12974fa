import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'

export interface Probe {
  status: number
  etag: string | undefined
  bytes: number
}

/** One request, to know before a measurement that all servers give the same answer. */
export async function probe(url: string, headers: Record<string, string>): Promise<Probe> {
  const sent = request(url, { headers }).end()
  const [response] = (await once(sent, 'response')) as [IncomingMessage]
  let bytes = 0
  for await (const chunk of response as AsyncIterable<Buffer>) bytes += chunk.length
  return { status: response.statusCode ?? 0, etag: response.headers.etag, bytes }
}
