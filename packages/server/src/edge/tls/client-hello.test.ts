import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { test } from 'node:test'
import { type ConnectionOptions, connect } from 'node:tls'
import fc from 'fast-check'
import { readClientHello } from './client-hello.ts'

/** The first message of OpenSSL to a server. */
async function helloOf(options: ConnectionOptions): Promise<Buffer> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const client = connect({ port, host: '127.0.0.1', ...options })
  client.on('error', () => {})
  const [socket] = await once(server, 'connection')
  const [bytes] = await once(socket, 'data')
  client.destroy()
  socket.destroy()
  server.close()
  return bytes
}

const asked: ConnectionOptions = { servername: 'www.acme.com', ALPNProtocols: ['h2', 'http/1.1'] }
const expected = { servername: 'www.acme.com', protocols: ['h2', 'http/1.1'], offersTls13: true }
const hello = await helloOf(asked)

/** The same message in records of this size. */
function inRecords(bytes: Buffer, size: number): Buffer {
  const records: Buffer[] = []
  for (let at = 5; at < bytes.length; at += size) {
    const body = bytes.subarray(at, at + size)
    records.push(Buffer.from([22, 3, 1, body.length >> 8, body.length & 255]), body)
  }
  return Buffer.concat(records)
}

test("name and protocols are read from OpenSSL's message, in TLS 1.2 and 1.3", async () => {
  assert.deepEqual(readClientHello(hello), expected)
  const older = await helloOf({ ...asked, maxVersion: 'TLSv1.2' })
  assert.deepEqual(readClientHello(older), { ...expected, offersTls13: false })
  assert.deepEqual(readClientHello(await helloOf({})), { servername: null, protocols: [], offersTls13: true })
})

test('an incomplete message says how many bytes it needs', () => {
  for (let length = 0; length < hello.length; length++) {
    const read = readClientHello(hello.subarray(0, length))
    assert.ok(read !== null && 'needs' in read)
    assert.ok(read.needs > length && read.needs <= hello.length)
  }
})

test('a message in several records is joined, in too many it is refused', () => {
  assert.deepEqual(readClientHello(inRecords(hello, 300)), expected)
  assert.equal(readClientHello(inRecords(hello, 10)), null)
})

test('bytes after the message do not matter', () => {
  assert.deepEqual(readClientHello(Buffer.concat([hello, Buffer.from('more')])), expected)
})

test('other protocols are refused by their first byte', () => {
  for (const text of ['GET / HTTP/1.1\r\n', 'SSH-2.0-x', '\x00', '\x15\x03\x01\x00\x02\x02\x00']) {
    assert.equal(readClientHello(Buffer.from(text, 'latin1')), null)
  }
})

test('a record that is empty, too long or no ClientHello is refused', () => {
  for (const bytes of [
    [22, 3, 1, 0, 0],
    [22, 3, 1, 0x40, 1],
    [22, 2, 0, 0, 4],
    [22, 3, 1, 0, 4, 2, 0, 0, 0],
    [22, 3, 1, 0, 4, 1, 0, 0x40, 1],
    [22, 3, 1, 0, 4, 1, 0, 0, 0],
  ]) {
    assert.equal(readClientHello(Buffer.from(bytes)), null)
  }
})

test('with any bytes changed, the message is read, refused or incomplete, and nothing throws', () => {
  const change = fc.tuple(fc.nat(hello.length - 1), fc.integer({ min: 0, max: 255 }))
  fc.assert(
    fc.property(fc.array(change, { minLength: 1, maxLength: 8 }), fc.nat(hello.length), (changes, length) => {
      const bytes = Buffer.from(hello)
      for (const [at, value] of changes) bytes[at] = value
      const read = readClientHello(bytes.subarray(0, length))
      if (read !== null && 'needs' in read) assert.ok(read.needs > length)
    }),
    { numRuns: 2000 },
  )
})

const nameAt = hello.indexOf('www.acme.com')
/** Type and length of the extension, length of the list, type and length of the name, and the name. */
const serverNameExtension = { start: nameAt - 9, end: nameAt + 'www.acme.com'.length }

/** The same message with other bytes in place of its server name extension. */
function withServerName(...extension: Buffer[]): Buffer {
  const { start, end } = serverNameExtension
  const changed = Buffer.concat([hello.subarray(0, start), ...extension, hello.subarray(end)])
  for (const offset of [3, 7, extensionsAt(hello)]) {
    changed.writeUInt16BE(changed.readUInt16BE(offset) + changed.length - hello.length, offset)
  }
  return changed
}

test('a duplicate name or extension is refused', () => {
  const extension = hello.subarray(serverNameExtension.start, serverNameExtension.end)
  assert.deepEqual(readClientHello(withServerName(extension)), expected)
  assert.equal(readClientHello(withServerName(extension, extension)), null)
})

test('a server name that is not exactly one host name is refused', () => {
  const sized = (bytes: Buffer) => Buffer.concat([Buffer.from([0, bytes.length]), bytes])
  const named = (name: string, type = 0) => Buffer.concat([Buffer.from([type]), sized(Buffer.from(name))])
  const read = (list: Buffer, ...rest: Buffer[]) =>
    readClientHello(withServerName(Buffer.from([0, 0]), sized(Buffer.concat([sized(list), ...rest]))))
  assert.deepEqual(read(named('a.com')), { ...expected, servername: 'a.com' })
  assert.equal(read(Buffer.concat([named('a.com'), named('b.com')])), null)
  assert.equal(read(named('a.com', 1)), null)
  assert.equal(read(named('')), null)
  assert.equal(read(Buffer.alloc(0)), null)
  assert.equal(read(named('a.com'), Buffer.from('x')), null)
})

/** The offset of the extensions' length: after version, random, session id, suites and compression. */
function extensionsAt(bytes: Buffer): number {
  const suites = 43 + 1 + bytes.readUInt8(43)
  const compression = suites + 2 + bytes.readUInt16BE(suites)
  return compression + 1 + bytes.readUInt8(compression)
}
