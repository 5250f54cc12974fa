import assert from 'node:assert/strict'
import { once } from 'node:events'
import {
  type ClientHttp2Session,
  connect,
  createServer as createHttp2Server,
  sensitiveHeaders,
} from 'node:http2'
import { type AddressInfo, createServer, connect as openSocket } from 'node:net'
import { suite, test } from 'node:test'
import { MutatedInputs } from '@masthead/testing/mutated-inputs.ts'
import { frame } from '../frames/frames.test-kit.ts'
import { frameTypes, preface } from '../frames/protocol.ts'
import { browserRequests, chromePage } from './browser-requests.test-kit.ts'
import { captureBlocks, readFrames } from './captured-blocks.test-kit.ts'
import { encodeHead } from './encoder.ts'
import { createDecoder, linesOf } from './hpack.test-kit.ts'
import { HpackError } from './hpack-error.ts'

/** Node's own HTTP/2 is nghttp2, which has met more peers than we have. */

const compressionError = 9

const everyLegalByte = Array.from({ length: 256 }, (_, byte) => String.fromCharCode(byte)).filter(
  (character) => character === '\t' || (character >= ' ' && character !== '\x7f'),
)

suite('Blocks of node:http2', () => {
  for (const tableSize of [4096, 0, 33, 100, 1000]) {
    test(`are decoded to what was sent, with a table of ${tableSize} bytes`, async () => {
      const requests = browserRequests(120)
      const decoder = createDecoder({ tableSize })
      for (const [index, block] of (await captureBlocks(requests, tableSize)).entries()) {
        const expected = Object.entries(requests[index] ?? {}).map(([name, value]) => `${name}: ${value}`)
        assert.deepEqual(linesOf(decoder.decode(block).fields), expected)
      }
    })
  }

  test('are decoded whichever bytes a value has, and if it must never enter a table', async () => {
    // The vowels make Huffman's code the shorter one, however long that of the byte is.
    const requests = everyLegalByte.map((byte) => ({
      ...chromePage('/'),
      'x-plain': `a${byte}b`,
      'x-huffman': `${'aeiou'.repeat(8)}${byte}${'aeiou'.repeat(8)}`,
      authorization: `secret${byte}key`,
      [sensitiveHeaders]: ['authorization'],
    }))
    const decoder = createDecoder()
    for (const [index, block] of (await captureBlocks(requests)).entries()) {
      const expected = Object.entries(requests[index] ?? {}).map(([name, value]) => `${name}: ${value}`)
      assert.deepEqual(linesOf(decoder.decode(block).fields), expected)
    }
  })
})

suite('The client of node:http2', () => {
  test('understands our heads, one after another on a connection', async () => {
    const heads: [number, string[]][] = [
      [
        200,
        ['Content-Type', 'text/html; charset=utf-8', 'Content-Length', '0', 'ETag', '"5f3c-1924e8a2f40"'],
      ],
      [
        304,
        ['ETag', 'W/"a"', 'Cache-Control', 'public, max-age=0, must-revalidate', 'Vary', 'Accept-Encoding'],
      ],
      [
        301,
        ['Location', 'https://www.example.com/caf%C3%A9?a=1&b={2}', 'Connection', 'close', 'Keep-Alive', 'x'],
      ],
      [404, ['X-Content-Type-Options', 'nosniff', 'Date', 'Mon, 21 Oct 2024 20:13:21 GMT', 'X-Empty', '']],
      [421, []],
      ...everyLegalByte.map((byte): [number, string[]] => [
        200,
        ['X-Plain', `a${byte}b`, 'X-Huffman', `${'aeiou'.repeat(8)}${byte}${'aeiou'.repeat(8)}`],
      ]),
    ]
    const answers = await answersOf(heads.map(([status, headers]) => encodeHead(status, headers)))
    const connectionSpecific = ['connection', 'keep-alive']
    for (const [index, [status, headers]] of heads.entries()) {
      const expected = [`:status: ${status}`]
      for (let at = 0; at < headers.length; at += 2) {
        const name = (headers[at] ?? '').toLowerCase()
        if (!connectionSpecific.includes(name)) expected.push(`${name}: ${headers[at + 1]}`)
      }
      assert.deepEqual(answers[index], expected)
    }
  })
})

suite('The server of node:http2', () => {
  test('rejects the same mutated blocks as we do', async () => {
    const server = createHttp2Server()
    server.on('session', (session) => session.on('error', () => {}))
    server.on('stream', (stream) => stream.on('error', () => {}))
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    const real = await captureBlocks(browserRequests(10))
    const inputs = new MutatedInputs(real, 20_261_116)
    const verdicts = { accepted: 0, rejected: 0 }
    for (let count = 0; count < 500; count++) {
      const blocks = [...real.slice(0, inputs.integer(4)), Buffer.from(inputs.next())]
      const ours = isAccepted(blocks) ? 'accepted' : 'rejected'
      const theirs = (await isAcceptedByNode(port, blocks)) ? 'accepted' : 'rejected'
      assert.equal(ours, theirs, `${count}: ${blocks.map((block) => block.toString('hex')).join(', ')}`)
      verdicts[ours]++
    }
    server.close()
    assert.ok(verdicts.accepted > 20 && verdicts.rejected > 20, JSON.stringify(verdicts))
  })
})

function isAccepted(blocks: readonly Buffer[]): boolean {
  const decoder = createDecoder()
  try {
    for (const block of blocks) decoder.decode(block)
    return true
  } catch (error) {
    if (error instanceof HpackError) return false
    throw error
  }
}

/** Whether the connection survives until it answers a PING. Malformed requests end only their streams. */
async function isAcceptedByNode(port: number, blocks: readonly Buffer[]): Promise<boolean> {
  const socket = openSocket(port, '127.0.0.1')
  const { promise, resolve, reject } = Promise.withResolvers<boolean>()
  socket.on('error', reject)
  readFrames(socket, 0, ({ type, payload }) => {
    if (type === frameTypes.ping) resolve(true)
    if (type !== frameTypes.goAway) return
    assert.equal(payload.readUInt32BE(4), compressionError)
    resolve(false)
  })
  const headers = blocks.map((payload, index) =>
    frame({ type: frameTypes.headers, flags: 5, stream: 2 * index + 1, payload }),
  )
  const ping = frame({ type: frameTypes.ping, payload: Buffer.alloc(8) })
  socket.write(Buffer.concat([preface, frame({ type: frameTypes.settings }), ...headers, ping]))
  try {
    return await promise
  } finally {
    socket.destroy()
  }
}

/** What a client of node:http2 makes of these answers, the first for its first request and so on. */
async function answersOf(heads: readonly Buffer[]): Promise<string[][]> {
  let sent = 0
  const server = createServer((socket) => {
    socket.on('error', () => {})
    socket.write(frame({ type: frameTypes.settings }))
    readFrames(socket, preface.length, ({ type, stream }) => {
      const payload = heads[sent]
      if (type !== frameTypes.headers || payload === undefined) return
      sent++
      socket.write(frame({ type: frameTypes.headers, flags: 5, stream, payload }))
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const client = connect(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  try {
    const answers: string[][] = []
    for (const _ of heads) answers.push(await requestHead(client))
    return answers
  } finally {
    client.destroy()
    server.close()
  }
}

function requestHead(client: ClientHttp2Session): Promise<string[]> {
  const { promise, resolve, reject } = Promise.withResolvers<string[]>()
  const stream = client.request({ ':path': '/' })
  stream.on('error', reject)
  stream.on('response', (_headers, _flags, raw) => {
    const lines: string[] = []
    for (let at = 0; at < raw.length; at += 2) lines.push(`${raw[at]}: ${raw[at + 1]}`)
    resolve(lines)
  })
  stream.resume()
  return promise
}
