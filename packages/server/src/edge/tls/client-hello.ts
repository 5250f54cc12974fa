/** What a client says first, as far as it decides what is done with its connection. */
export interface ClientHello {
  /** As it was sent; null where the client names no host. */
  readonly servername: string | null
  readonly protocols: readonly string[]
}

/** How many bytes there must be before it is worth to look again. */
export interface MoreNeeded {
  readonly needs: number
}

const recordHeader = 5
const longestRecord = 16 * 1024
/** As much as OpenSSL takes. */
const longestHello = 16 * 1024
const mostRecords = 32

const handshakeRecord = 22
const clientHello = 1
const serverNameExtension = 0
const protocolsExtension = 16
const hostName = 0

/**
 * Reads a ClientHello (RFC 8446, 4.1.2) before OpenSSL does, which reads it again from its first byte. Null: this is
 * none, or one that OpenSSL would not take either.
 */
export function readClientHello(bytes: Buffer): ClientHello | MoreNeeded | null {
  try {
    const message = messageIn(bytes)
    return message instanceof Part ? readHello(message) : message
  } catch (error) {
    if (error instanceof RangeError) return null
    throw error
  }
}

/** The first handshake message, which may lie in several records. */
function messageIn(bytes: Buffer): Part | MoreNeeded {
  const fragments: Buffer[] = []
  let length = 0
  let at = 0
  for (let count = 0; count < mostRecords; count++) {
    const body = at + recordHeader
    if (bytes.length > at && bytes[at] !== handshakeRecord) break
    if (bytes.length < body) return { needs: body }
    const end = body + bytes.readUInt16BE(at + 3)
    if (bytes[at + 1] !== 3 || end === body || end > body + longestRecord) break
    if (bytes.length < end) return { needs: end }
    fragments.push(bytes.subarray(body, end))
    length += end - body
    at = end
    if (length < 4) continue
    const message = fragments.length === 1 ? bytes.subarray(body, end) : Buffer.concat(fragments)
    const size = message.readUIntBE(1, 3)
    if (message[0] !== clientHello || size > longestHello) break
    if (length >= 4 + size) return new Part(message.subarray(4, 4 + size))
  }
  throw new RangeError('Not a ClientHello')
}

function readHello(hello: Part): ClientHello {
  hello.take(2 + 32) // version, random
  hello.vector(1) // session id
  hello.vector(2) // cipher suites
  hello.vector(1) // compression methods
  let servername: string | null = null
  let protocols: string[] = []
  const seen = new Set<number>()
  const extensions = hello.isAtEnd ? hello : hello.vector(2)
  if (!hello.isAtEnd) throw new RangeError('Something follows')
  while (!extensions.isAtEnd) {
    const kind = extensions.number(2)
    const data = extensions.vector(2)
    if (seen.has(kind)) throw new RangeError('An extension comes twice')
    seen.add(kind)
    if (kind === serverNameExtension) servername = readServername(data)
    else if (kind === protocolsExtension) protocols = readProtocols(data)
  }
  return { servername, protocols }
}

/** A list by the letter, which in practice holds one name (RFC 6066, 3). */
function readServername(data: Part): string {
  const list = data.vector(2)
  if (list.number(1) !== hostName) throw new RangeError('Not a host name')
  const name = list.vector(2)
  if (!list.isAtEnd || !data.isAtEnd || name.isAtEnd) throw new RangeError('Not one host name')
  return name.text()
}

function readProtocols(data: Part): string[] {
  const list = data.vector(2)
  const protocols: string[] = []
  while (!list.isAtEnd) protocols.push(list.vector(1).text())
  return protocols
}

/** Bytes that are read from front to back and never beyond their end. */
class Part {
  readonly #bytes: Buffer
  #at = 0

  constructor(bytes: Buffer) {
    this.#bytes = bytes
  }

  get isAtEnd(): boolean {
    return this.#at === this.#bytes.length
  }

  number(size: 1 | 2): number {
    return this.take(size).readUIntBE(0, size)
  }

  /** What follows a length of so many bytes. */
  vector(sizeOfLength: 1 | 2): Part {
    return new Part(this.take(this.number(sizeOfLength)))
  }

  text(): string {
    return this.#bytes.toString('latin1', this.#at)
  }

  take(size: number): Buffer {
    const end = this.#at + size
    if (end > this.#bytes.length) throw new RangeError('It ends early')
    const taken = this.#bytes.subarray(this.#at, end)
    this.#at = end
    return taken
  }
}
