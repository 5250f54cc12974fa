import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { request } from 'node:https'
import { text } from 'node:stream/consumers'

export interface SecureVisit {
  status: number
  body: string
}

/** Where the visitor comes from on the loopback, how long they wait and what they look at. */
export interface Visitor {
  localAddress?: string
  signal?: AbortSignal
  /** For names whose certificate is for another one. */
  checkServerIdentity?: () => undefined
}

/** The front page of a name on this machine, over a new connection with a whole handshake. */
export async function visitSecurely(
  port: number,
  name: string,
  root: string,
  visitor: Visitor = {},
): Promise<SecureVisit> {
  const to = { host: '127.0.0.1', port, servername: name, headers: { Host: `${name}:${port}` } }
  const sent = request({ ...to, ca: root, agent: false, ...visitor })
  try {
    const [answer] = (await once(sent.end(), 'response')) as [IncomingMessage]
    return { status: answer.statusCode ?? 0, body: await text(answer) }
  } finally {
    sent.on('error', () => {}).destroy()
  }
}
