import type { Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { setImmediate } from 'node:timers/promises'
import { noProxies } from '../accept/forwarded.ts'
import type { Body } from '../assets/body.ts'
import type { Reply } from '../assets/reply.ts'
import { ResponseCounts } from '../response-counts.ts'
import type { SiteAnswers } from '../site-answers.ts'
import { createOpenSocket } from '../sockets/site-socket.ts'
import { createHttp1Connections } from './connections.ts'
import type { Http1Parts } from './context.ts'
import { openPair, type Protocol } from './socket-pair.test-kit.ts'

/** By the beginning of the path: small, one write, several pieces. */
const sizes = { '/page': 4000, '/large': 64 * 1024, '/long': 300_000, '/file': 300_000 }

export function contentOf(target: string): string {
  const size = Object.entries(sizes).find(([start]) => target.startsWith(start))?.[1] ?? 10
  return `<${target}>`.padEnd(size, '.')
}

/** More than one piece of a file. */
export const brokenSize = 600_000

/** Pieces that are read one after the other, as from a file. */
function fileOf(content: Buffer, breaksAt = Number.POSITIVE_INFINITY): Body {
  return {
    length: content.length,
    bytes: null,
    async read(start, into) {
      await setImmediate()
      if (start >= breaksAt) throw new Error('broken')
      content.copy(into, 0, start)
    },
    rest() {},
    close() {},
  }
}

/**
 * Every path is answered with its own name: `/later…` after a while, `/file…` from a file, `/missing…` and `/broken…` from
 * one that cannot be read at all or not to its end. `platform` is the host of the platform.
 */
export const answers: SiteAnswers = {
  answer({ method, target, host }) {
    if (host === 'platform') return null
    const content = Buffer.from(contentOf(target))
    const headers = ['Content-Length', String(content.length)]
    const body: Reply['body'] =
      method === 'HEAD' ? { kind: 'none' } : { kind: 'bytes', bytes: Buffer.from(content) }
    const reply = { status: 200, headers, body }
    return target.startsWith('/later') ? setImmediate(reply) : reply
  },
  responses: new ResponseCounts(),
  openBody(body) {
    if (body.kind !== 'bytes') throw new Error('only bytes')
    const { bytes } = body
    const target = /^<([^>]*)>/.exec(bytes.toString('latin1'))?.[1] ?? ''
    if (target.startsWith('/file')) return fileOf(bytes)
    if (target.startsWith('/missing')) return fileOf(bytes, 0)
    if (target.startsWith('/broken')) return fileOf(Buffer.alloc(brokenSize), brokenSize / 2)
    const whole = { length: bytes.length, bytes, read: async () => {}, rest() {}, close() {} }
    return target.startsWith('/later') ? setImmediate(whole) : whole
  },
}

const openSocket = { fast: createOpenSocket(true), slow: createOpenSocket(false) }

export const limits = { headersTimeout: 15_000, maxHeaderSize: 16 * 1024 }

/** Both ends of a connection, the server's with such answers. */
export async function openConnection(protocol: Protocol, more: Partial<Http1Parts> = {}) {
  const pair = await openPair(protocol)
  const logged: unknown[] = []
  const connections = createHttp1Connections({
    answers,
    limits,
    proxies: noProxies,
    isSite: () => true,
    toPlatform: (socket) => socket.destroy(),
    log: { error: (...said: unknown[]) => void logged.push(said) },
    ...more,
  })
  const servername = 'encrypted' in pair.socket ? 'a' : null
  const monitor = connections.accept(openSocket[protocol.isFast ? 'fast' : 'slow'](pair.socket), servername)
  return { ...pair, connections, monitor, logged }
}

export const get = (path: string, fields = '', method = 'GET') =>
  `${method} ${path} HTTP/1.1\r\nHost: a\r\n${fields}\r\n`

export const close = 'Connection: close\r\n'

/** The paths that were answered, in order. */
export const targetsIn = (answers: string) =>
  [...answers.matchAll(/<(\/[^>]*)>/g)].map(([, target]) => target ?? '')

export const statusesIn = (answers: string) =>
  [...answers.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status))

/** Writes the parts with so many turns of the event loop between them. */
export async function say(client: Socket, parts: readonly string[], turnsBetween: number): Promise<void> {
  for (const part of parts) {
    client.write(part, 'latin1')
    for (let turn = 0; turn < turnsBetween; turn++) await setImmediate()
  }
}

/** Everything received for these bytes until the server ends. */
export async function exchange(protocol: Protocol, bytes: string, more: Partial<Http1Parts> = {}) {
  using connection = await openConnection(protocol, more)
  connection.client.on('error', () => {}).write(bytes, 'latin1')
  return await text(connection.client)
}
