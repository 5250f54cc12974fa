import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { connect, createSecureContext, type SecureContext } from 'node:tls'

const contexts = new Map<string, SecureContext>()

/** Trusts this root and no other. Built once per root, not once per connection. */
export function trusting(root: string): SecureContext {
  const context = contexts.get(root) ?? createSecureContext({ ca: root })
  contexts.set(root, context)
  return context
}

/** The first message of a TLS client, with any bytes for the name of the server. */
export function clientHello(servername: Uint8Array, protocols: readonly string[] = []): Buffer {
  const names = vector(2, Buffer.from([0]), vector(2, servername))
  const alpn = vector(2, ...protocols.map((protocol) => vector(1, Buffer.from(protocol))))
  const extensions = [
    extension(0, names),
    extension(10, vector(2, uint16(0x1d), uint16(0x17))),
    extension(13, vector(2, uint16(0x0403), uint16(0x0804))),
    ...(protocols.length > 0 ? [extension(16, alpn)] : []),
  ]
  const version = uint16(0x0303)
  const suites = vector(2, uint16(0xc02b), uint16(0xc02f))
  const message = Buffer.concat([
    version,
    randomBytes(32),
    vector(1),
    suites,
    vector(1, Buffer.from([0])),
    vector(2, ...extensions),
  ])
  const handshake = Buffer.concat([Buffer.from([1]), vector(3, message)])
  return Buffer.concat([Buffer.from([22, 3, 1]), vector(2, handshake)])
}

function extension(kind: number, data: Buffer): Buffer {
  return Buffer.concat([uint16(kind), vector(2, data)])
}

/** Bytes behind their length, which takes so many bytes itself. */
function vector(lengthBytes: 1 | 2 | 3, ...parts: Uint8Array[]): Buffer {
  const body = Buffer.concat(parts)
  const length = Buffer.alloc(lengthBytes)
  length.writeUIntBE(body.length, 0, lengthBytes)
  return Buffer.concat([length, body])
}

function uint16(value: number): Buffer {
  return Buffer.from([value >> 8, value & 255])
}

/** A session that a server has given away in a handshake for this name, to be resumed by whom it concerns. */
export async function newTlsSession(port: number, servername: string, root: string): Promise<Buffer> {
  const socket = connect({ host: '127.0.0.1', port, servername, secureContext: trusting(root) })
  try {
    const [session] = (await once(socket, 'session')) as [Buffer]
    return session
  } finally {
    socket.destroy()
  }
}
