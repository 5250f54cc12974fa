import { connect } from 'node:net'
import { DnsFault } from './dns-fault.ts'
import { type Accept, type DnsServer, type ExchangeLimits, exchange } from './exchange.ts'

/** Each message has its length before it, in two bytes (RFC 1035, section 4.2.2). */
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
    socket.on('close', () => fail(new Error('The connection was closed before there was an answer')))
    socket.on('data', (chunk: Buffer) => {
      chunks.push(chunk)
      received += chunk.length
      if (received < (end ?? 2)) return
      const message = Buffer.concat(chunks)
      end ??= 2 + message.readUInt16BE(0)
      if (received < end) return
      try {
        const accepted = accept(message.subarray(2, end))
        if (accepted === null) throw new DnsFault('malformed', `${server.address} answered something else`)
        settle(accepted)
      } catch (error) {
        fail(error)
      }
    })
    const length = Buffer.alloc(2)
    length.writeUInt16BE(query.length)
    socket.write(Buffer.concat([length, query]))
    return () => socket.destroy()
  })
}
