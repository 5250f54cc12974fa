import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { request as requestSecurely } from 'node:https'

export interface Probe {
  status: number
  etag: string | undefined
  bytes: number
}

export interface ProbedFile {
  port: number
  host: string
  path: string
  headers?: Record<string, string>
  /** For HTTPS: the trusted root. */
  rootPem?: string
}

/** One request, to check before a measurement that all servers give the same answer. */
export async function probe({ port, host, path, headers, rootPem }: ProbedFile): Promise<Probe> {
  const to = {
    host: '127.0.0.1',
    port,
    path,
    headers: { ...headers, host: `${host}:${port}` },
    agent: false as const,
  }
  const sent = rootPem === undefined ? request(to) : requestSecurely({ ...to, servername: host, ca: rootPem })
  const [response] = (await once(sent.end(), 'response')) as [IncomingMessage]
  let bytes = 0
  for await (const chunk of response as AsyncIterable<Buffer>) bytes += chunk.length
  return { status: response.statusCode ?? 0, etag: response.headers.etag, bytes }
}
