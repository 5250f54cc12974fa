/** The parts of a client's first message that we need. */
export interface ClientHello {
  /** As sent; null if the client sent none. */
  readonly servername: string | null
  readonly protocols: readonly string[]
  readonly offersTls13: boolean
}

/** How many bytes are needed before trying again. */
export interface MoreNeeded {
  readonly needs: number
}

const recordHeader = 5
const longestRecord = 16 * 1024
/** OpenSSL's limit. */
const longestHello = 16 * 1024
const maxRecords = 32

const handshakeRecord = 22
const clientHello = 1
const serverNameExtension = 0
const protocolsExtension = 16
const supportedVersionsExtension = 43
const hostName = 0
const tls13 = 0x0304

/**
 * Parses a ClientHello (RFC 8446, 4.1.2). OpenSSL parses it again afterwards. Null if it is none, or one that OpenSSL
 * would reject too.
 */
export function readClientHello(bytes: Buffer): ClientHello | MoreNeeded | null {
  try {
    const message = firstMessage(bytes)
    return message instanceof Reader ? readHello(message) : message
  } catch (error) {
    if (error instanceof RangeError) return null
    throw error
  }
}

/** The first handshake message, which may span several records. */
function firstMessage(bytes: Buffer): Reader | MoreNeeded {
  const fragments: Buffer[] = []
  let length = 0
  let at = 0
  for (let count = 0; count < maxRecords; count++) {
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
    if (length >= 4 + size) return new Reader(message.subarray(4, 4 + size))
  }
  throw new RangeError('Not a ClientHello')
}

function readHello(hello: Reader): ClientHello {
  hello.take(2 + 32) // version, random
  hello.vector(1) // session id
  hello.vector(2) // cipher suites
  hello.vector(1) // compression methods
  let servername: string | null = null
  let protocols: string[] = []
  let offersTls13 = false
  const seen = new Set<number>()
  const extensions = hello.isAtEnd ? hello : hello.vector(2)
  if (!hello.isAtEnd) throw new RangeError('Trailing bytes')
  while (!extensions.isAtEnd) {
    const kind = extensions.number(2)
    const data = extensions.vector(2)
    if (seen.has(kind)) throw new RangeError('Duplicate extension')
    seen.add(kind)
    if (kind === serverNameExtension) servername = readServername(data)
    else if (kind === protocolsExtension) protocols = readProtocols(data)
    else if (kind === supportedVersionsExtension) offersTls13 = readVersions(data).includes(tls13)
  }
  return { servername, protocols, offersTls13 }
}

/** Formally a list, which in practice has exactly one name (RFC 6066, 3). */
function readServername(data: Reader): string {
  const list = data.vector(2)
  if (list.number(1) !== hostName) throw new RangeError('Not a host name')
  const name = list.vector(2)
  if (!list.isAtEnd || !data.isAtEnd || name.isAtEnd) throw new RangeError('Not one host name')
  return name.text()
}

function readProtocols(data: Reader): string[] {
  const list = data.vector(2)
  const protocols: string[] = []
  while (!list.isAtEnd) protocols.push(list.vector(1).text())
  return protocols
}

function readVersions(data: Reader): number[] {
  const list = data.vector(1)
  const versions: number[] = []
  while (!list.isAtEnd) versions.push(list.number(2))
  return versions
}

/** Reads bytes in order, never past their end. */
class Reader {
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

  /** A vector with a length prefix of this many bytes. */
  vector(prefixSize: 1 | 2): Reader {
    return new Reader(this.take(this.number(prefixSize)))
  }

  text(): string {
    return this.#bytes.toString('latin1', this.#at)
  }

  take(size: number): Buffer {
    const end = this.#at + size
    if (end > this.#bytes.length) throw new RangeError('Unexpected end')
    const taken = this.#bytes.subarray(this.#at, end)
    this.#at = end
    return taken
  }
}
