import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'
import { connect as connectTls, createServer as createTlsServer } from 'node:tls'
import { createRoot } from '../../certificates/internal-ca/internal-ca.ts'
import { certificateFor } from '../https.test-kit.ts'

export interface Protocol {
  /** Whether the server reads and writes past the streams. */
  isFast: boolean
  listen(): Promise<Server>
  dial(port: number): Promise<Socket>
}

/** For all connections of the process: to issue it takes longer than most of them. */
let certificate: ReturnType<typeof certificateFor> | undefined

async function issueCertificate(): ReturnType<typeof certificateFor> {
  return certificateFor(await createRoot(Date.now()), 'localhost')
}

const transports: Record<'TCP' | 'TLS', Omit<Protocol, 'isFast'>> = {
  TCP: {
    listen: async () => createServer({ allowHalfOpen: true }),
    async dial(port) {
      const socket = connect(port, '127.0.0.1')
      await once(socket, 'connect')
      return socket
    },
  },
  TLS: {
    async listen() {
      certificate ??= issueCertificate()
      const { chain, keyPem } = await certificate
      return createTlsServer({ cert: chain, key: keyPem, allowHalfOpen: true })
    },
    async dial(port) {
      const socket = connectTls({ port, host: '127.0.0.1', rejectUnauthorized: false })
      await once(socket, 'secureConnect')
      return socket
    },
  },
}

export const protocols: Record<string, Protocol> & Record<'TCP' | 'TLS', Protocol> = {
  TCP: { ...transports.TCP, isFast: true },
  TLS: { ...transports.TLS, isFast: true },
  'TCP as a stream': { ...transports.TCP, isFast: false },
  'TLS as a stream': { ...transports.TLS, isFast: false },
}

/** The two ends of a connection. */
export async function openPair({ listen, dial }: Protocol) {
  const server = await listen()
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const accepted = Promise.withResolvers<Socket>()
  for (const event of ['connection', 'secureConnection']) {
    if (server.listenerCount(event) === 0) server.once(event, accepted.resolve)
  }
  const client = await dial((server.address() as AddressInfo).port)
  const socket = await accepted.promise
  const close = () => {
    for (const one of [client, socket]) one.destroy()
    server.close()
  }
  return { client, socket, [Symbol.dispose]: close }
}
