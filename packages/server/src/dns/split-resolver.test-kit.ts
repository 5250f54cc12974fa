import { createSocket } from 'node:dgram'
import { encode } from 'dns-packet'
import { type Answerer, startAnswerer } from './answerer.test-kit.ts'
import type { DnsServer } from './transport.ts'

/** A resolver that asks one server for the names of `acme.test` and another for everything else. */
export function startResolverOver(child: DnsServer, parent: DnsServer): Promise<Answerer> {
  return startAnswerer(({ packet, reply }) => {
    const name = packet.questions?.[0]?.name ?? ''
    const upstream = /(^|\.)acme\.test$/.test(name) ? child : parent
    const socket = createSocket('udp4')
    socket.once('message', (answer) => {
      reply(answer)
      socket.close()
    })
    socket.send(encode({ ...packet, type: 'query' }), upstream.port, upstream.address)
  })
}
