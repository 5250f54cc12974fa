import { createSocket } from 'node:dgram'
import { connect } from 'node:net'
import { isIPv6 } from '../kernel/ip-address.ts'
import { DnsError } from './dns-error.ts'

export interface DnsServer {
  address: string
  port: number
}

interface ExchangeLimits {
  timeoutMs: number
  signal?: AbortSignal | undefined
}

/** Turns a message into the answer, or null if it is not the reply we wait for. */
type Accept<T> = (message: Buffer) => T | null

interface Outcome<T> {
  settle(result: T): void
  fail(error: unknown): void
}

/** `begin` opens a socket and returns how to close it, which happens as soon as there is an outcome. */
async function exchange<T>(
  server: DnsServer,
  { timeoutMs, signal }: ExchangeLimits,
  begin: (outcome: Outcome<T>) => () => void,
): Promise<T> {
  signal?.throwIfAborted()
  const { promise, resolve, reject } = Promise.withResolvers<T>()
  const close = begin({ settle: resolve, fail: (error) => reject(toDnsError(server, error)) })
  const overdue = () => reject(new DnsError('timeout', `${server.address} did not answer in time`))
  const aborted = () => reject(signal?.reason)
  const timer = setTimeout(overdue, timeoutMs)
  signal?.addEventListener('abort', aborted, { once: true })
  try {
    return await promise
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', aborted)
    close()
  }
}

function toDnsError(server: DnsServer, error: unknown): DnsError {
  if (error instanceof DnsError) return error
  return new DnsError('unreachable', `${server.address} cannot be reached`, error)
}

/**
 * Sends each query from a random port. The socket is connected, so the system only delivers datagrams from the server's
 * address and port, and reports when nothing listens there.
 */
export function askOverUdp<T>(
  server: DnsServer,
  query: Buffer,
  accept: Accept<T>,
  limits: ExchangeLimits,
): Promise<T> {
  return exchange(server, limits, ({ settle, fail }) => {
    const socket = createSocket(isIPv6(server.address) ? 'udp6' : 'udp4')
    socket.on('error', fail)
    socket.on('message', (message) => {
      try {
        const accepted = accept(message)
        if (accepted !== null) settle(accepted)
      } catch (error) {
        fail(error)
      }
    })
    socket.connect(server.port, server.address, () => socket.send(query))
    return () => socket.close()
  })
}

/** Over TCP, a message is preceded by its length in two bytes (RFC 1035, section 4.2.2). */
export function frame(message: Buffer): Buffer {
  const length = Buffer.alloc(2)
  length.writeUInt16BE(message.length)
  return Buffer.concat([length, message])
}

export function askOverTcp<T>(
  server: DnsServer,
  query: Buffer,
  accept: Accept<T>,
  limits: ExchangeLimits,
): Promise<T> {
  return exchange(server, limits, ({ settle, fail }) => {
    const socket = connect(server.port, server.address)
    const chunks: Buffer[] = []
    let received = 0
    let end: number | null = null
    socket.on('error', fail)
    socket.on('close', () => fail(new Error('The connection was closed before there was a reply')))
    socket.on('data', (chunk: Buffer) => {
      chunks.push(chunk)
      received += chunk.length
      if (received < (end ?? 2)) return
      const message = Buffer.concat(chunks)
      end ??= 2 + message.readUInt16BE(0)
      if (received < end) return
      try {
        const accepted = accept(message.subarray(2, end))
        if (accepted === null) throw new DnsError('malformed', `${server.address} answered something else`)
        settle(accepted)
      } catch (error) {
        fail(error)
      }
    })
    socket.write(frame(query))
    return () => socket.destroy()
  })
}
