import { request } from 'node:http'
import { text } from 'node:stream/consumers'
import type { MastheadProcess } from './masthead-process.ts'

export interface Visit {
  status: number
  body: string
}

/** Asks for a path of a site, as a browser does that knows where `*.localhost` is; not every resolver does. */
export function visit(masthead: MastheadProcess, slug: string, path: string): Promise<Visit> {
  return visitHost(masthead, `${slug}.masthead.localhost`, path)
}

/** The same for a host of any name, wherever the DNS of this machine would lead. */
export function visitHost({ httpPort }: MastheadProcess, hostname: string, path = '/'): Promise<Visit> {
  const { promise, resolve, reject } = Promise.withResolvers<Visit>()
  const headers = { host: `${hostname}:${httpPort}` }
  request({ host: '127.0.0.1', port: httpPort, path, headers, agent: false })
    .on('error', reject)
    .on('response', (response) => {
      text(response).then((body) => resolve({ status: response.statusCode ?? 0, body }), reject)
    })
    .end()
  return promise
}
