import assert from 'node:assert/strict'
import { Duplex } from 'node:stream'
import { test } from 'node:test'
import { noBody, type Reply } from '../assets/reply.ts'
import { AnswerWriter, CachedRequest, type ReadyAnswer } from './answer-cache.ts'

const reply: Reply = { status: 200, headers: ['Content-Length', '1', 'ETag', '"e"'], body: noBody }

function openSocket() {
  const written: Buffer[] = []
  const socket = new Duplex({
    read() {},
    write(chunk: Buffer, _encoding, done) {
      written.push(chunk)
      done()
    },
  })
  return { socket, written, text: () => Buffer.concat(written).toString('latin1') }
}

test('an answer is written like node:http would', () => {
  const { socket, text } = openSocket()
  new AnswerWriter(() => Date.UTC(2026, 0, 1)).write(
    socket,
    { reply, content: Buffer.from('\xe9', 'latin1') },
    true,
  )
  assert.equal(
    text(),
    'HTTP/1.1 200 OK\r\nContent-Length: 1\r\nETag: "e"\r\n' +
      'Date: Thu, 01 Jan 2026 00:00:00 GMT\r\nConnection: keep-alive\r\n\r\n\xe9',
  )
})

test('the same answer is built once per second, and its Date is always right', () => {
  let now = Date.UTC(2026, 0, 1)
  const writer = new AnswerWriter(() => now)
  const { socket, written } = openSocket()
  const dateAt = (time: number) => {
    now = time
    writer.write(socket, { reply, content: Buffer.from('x') }, true)
    return /Date: (.*)\r/.exec(String(written.at(-1)))?.[1]
  }
  assert.equal(dateAt(now), 'Thu, 01 Jan 2026 00:00:00 GMT')
  assert.equal(dateAt(now + 999), 'Thu, 01 Jan 2026 00:00:00 GMT')
  assert.equal(written[1], written[0])
  assert.equal(dateAt(now + 1), 'Thu, 01 Jan 2026 00:00:01 GMT')
  assert.equal(dateAt(now - 1000), 'Thu, 01 Jan 2026 00:00:00 GMT')
})

test('answers short and long, cached and not, are written alike', () => {
  for (const length of [0, 1, 4096, 500_000]) {
    for (const keepAlive of [true, false]) {
      const bytes = Buffer.alloc(length, '\xff', 'latin1')
      for (const content of [bytes]) {
        const { socket, text } = openSocket()
        new AnswerWriter().write(socket, { reply, content }, keepAlive)
        const [head, body] = text().split('\r\n\r\n')
        assert.ok(head?.endsWith(keepAlive ? 'Connection: keep-alive' : 'Connection: close'))
        assert.equal(body, bytes.toString('latin1'))
      }
    }
  }
})

test('the cache is bounded, however many answers there are in a second', () => {
  const writer = new AnswerWriter(() => 0)
  const { socket, written } = openSocket()
  const content = Buffer.alloc(100_000)
  const first = { reply: { ...reply }, content }
  writer.write(socket, first, true)
  for (let n = 0; n < 200; n++) writer.write(socket, { reply: { ...reply }, content }, true)
  writer.write(socket, first, true)
  assert.notEqual(written.at(-1), written[0])
  assert.deepEqual(written.at(-1), written[0])
})

const get = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n'

const answerWith = (more: Partial<ReadyAnswer> = {}): ReadyAnswer => ({
  reply: { status: 200, headers: [], body: noBody },
  content: Buffer.from('content'),
  generation: { isStale: false },
  ...more,
})

test('a request is parsed, or left to node:http', () => {
  assert.equal(new CachedRequest(get).head?.host, 'a')
  assert.equal(new CachedRequest('nonsense\r\n\r\n').head, null)
})

test('an answer is reused on connections with the same server name', () => {
  const request = new CachedRequest(get)
  const answer = answerWith()
  assert.equal(request.answerFor(null), null)
  request.keep(answer, null)
  assert.equal(request.answerFor(null), answer)
  assert.equal(request.answerFor('a'), null)
  request.keep(answer, 'a')
  assert.equal(request.answerFor('a'), answer)
  assert.equal(request.answerFor('b'), null)
})

test('an answer is not reused once it is stale', () => {
  const request = new CachedRequest(get)
  const generation = { isStale: false }
  request.keep(answerWith({ generation }), null)
  generation.isStale = true
  assert.equal(request.answerFor(null), null)
})

test('an answer without a generation is not reused, nor is the one before it', () => {
  const { generation: _, ...without } = answerWith()
  for (const answer of [without, answerWith({ generation: null })]) {
    const request = new CachedRequest(get)
    request.keep(answerWith(), null)
    request.keep(answer, null)
    assert.equal(request.answerFor(null), null)
  }
})

test('long content is not cached', () => {
  const request = new CachedRequest(get)
  request.keep(answerWith({ content: Buffer.alloc(20_000) }), null)
  assert.equal(request.answerFor(null), null)
})
