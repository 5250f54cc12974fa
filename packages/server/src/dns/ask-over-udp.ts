import { createSocket } from 'node:dgram'
import { isIPv6 } from 'node:net'
import { type Accept, type DnsServer, type ExchangeLimits, exchange } from './exchange.ts'

/**
 * Sends the query from a port of its own, chosen by the system. The socket is connected, so the system passes on
 * only what comes from the server's address and port, and tells when nobody listens there.
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
