import assert from 'node:assert/strict'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import { duplexPair } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { test } from 'node:test'
import fc from 'fast-check'
import { defaultListenerLimits } from '../accept/connection-limits.ts'
import { readHead } from './read-head.test-kit.ts'

interface Seen {
  method: string | undefined
  target: string | undefined
  headers: IncomingHttpHeaders
  keepAlive: boolean
}

/** What node:http sees on a connection that sends these bytes and ends. */
async function seenByNode(bytes: string): Promise<{ requests: Seen[]; refused: boolean }> {
  const requests: Seen[] = []
  let refused = false
  const server = createServer({ maxHeaderSize: defaultListenerLimits.maxHeaderSize }, (req, res) => {
    const { method, url: target, headers } = req
    requests.push({ method, target, headers, keepAlive: res.shouldKeepAlive })
    res.end()
  })
  server.on('clientError', (_error, socket) => {
    refused = true
    socket.destroy()
  })
  const [client, connection] = duplexPair()
  server.emit('connection', connection)
  client.end(bytes, 'latin1')
  await buffer(client).catch(() => {})
  return { requests, refused }
}

const often = <T>(usual: fc.Arbitrary<T>, odd: fc.Arbitrary<T>) =>
  fc.oneof({ weight: 12, arbitrary: usual }, { weight: 1, arbitrary: odd })
const printable = fc.string({
  unit: fc.integer({ min: 32, max: 126 }).map((code) => String.fromCharCode(code)),
})
const anyByte = fc.integer({ min: 0, max: 255 }).map((code) => String.fromCharCode(code))
const interesting = [
  ...['Host', 'Connection', 'Accept-Encoding', 'If-None-Match', 'If-Range', 'Range', 'Content-Length'],
  ...['Transfer-Encoding', 'Upgrade', 'Expect', 'Trailer', 'TE', 'Keep-Alive', 'Proxy-Connection', 'Cookie'],
]
const values = [
  '',
  'close',
  'keep-alive',
  'Upgrade',
  'chunked',
  '0',
  '5',
  'a',
  'hello.example:80',
  'bytes=0-1',
  '"x"',
]
const field = fc
  .tuple(
    often(
      fc.constantFrom('X-A', 'User-Agent', 'Accept', ...interesting.slice(2, 6)),
      fc.constantFrom(...interesting),
    ),
    often(fc.constantFrom(': ', ':'), fc.constantFrom(' : ', ':\t', ':   ', '', ': \t')),
    fc.oneof(fc.constantFrom(...values), printable),
    often(fc.constant('\r\n'), fc.constantFrom('\n', '\r', '\r\n ', ' \r\n', '\t\r\n')),
    fc.boolean(),
  )
  .map(([name, colon, value, end, lower]) => `${lower ? name.toLowerCase() : name}${colon}${value}${end}`)
const generated = fc
  .tuple(
    often(fc.constantFrom('GET', 'HEAD'), fc.constantFrom('POST', 'get', 'GETS', 'OPTIONS', 'CONNECT')),
    often(
      printable.map((rest) => `/${rest.replaceAll(' ', '')}`),
      fc.oneof(printable, fc.constantFrom('*', 'http://other/')),
    ),
    often(
      fc.constant('HTTP/1.1\r\n'),
      fc.constantFrom('HTTP/1.0\r\n', 'HTTP/1.1\n', 'HTTP/2.0\r\n', 'http/1.1\r\n'),
    ),
    often(fc.constant('Host: hello.example\r\n'), fc.constantFrom('', 'Host:\r\n', 'Host: a b\r\n')),
    fc.array(field, { maxLength: 5 }),
  )
  .map(
    ([method, target, version, host, fields]) =>
      `${method} ${target} ${version}${host}${fields.join('')}\r\n`,
  )
const mutation = fc.record({
  at: fc.nat(),
  remove: fc.integer({ min: 0, max: 2 }),
  insert: fc.string({ unit: anyByte, maxLength: 2 }),
})
const mutated = fc.tuple(generated, mutation).map(([text, { at, remove, insert }]) => {
  const place = at % (text.length + 1)
  return text.slice(0, place) + insert + text.slice(place + remove)
})

test('what both accept, node:http parses the same, as one request', async () => {
  const next = 'GET /next HTTP/1.1\r\nHost: next\r\n\r\n'
  let read = 0
  await fc.assert(
    fc.asyncProperty(fc.oneof(generated, mutated), async (text) => {
      const end = text.indexOf('\r\n\r\n') + 4
      const head = end === text.length ? readHead(text, end) : 400
      if (typeof head === 'number' || !['GET', 'HEAD'].includes(head.method)) return
      if (head.hasBody || head.expect !== undefined) return
      const { requests, refused } = await seenByNode(head.keepAlive ? text + next : text)
      const [first, ...after] = requests
      // It does not like values of white space only, for one, which RFC 9110, 5.5 allows.
      if (refused) return
      // It obeys this one like Connection, which no standard asks for.
      if (first?.headers['proxy-connection'] !== undefined) return
      read++
      assert.ok(first)
      assert.deepEqual(
        [first.method, first.target, first.headers.host ?? '', first.keepAlive],
        [head.method, head.target, head.host, head.keepAlive],
      )
      for (const name of [
        'accept',
        'accept-encoding',
        'if-none-match',
        'if-range',
        'range',
        'cookie',
      ] as const) {
        assert.equal(first.headers[name], head.headers[name], name)
      }
      // It takes what follows for another protocol, which we never change to (RFC 9110, 7.8).
      if (first.headers.upgrade !== undefined) return
      assert.deepEqual(
        after.map(({ target }) => target),
        head.keepAlive ? ['/next'] : [],
      )
    }),
    { numRuns: 3000 },
  )
  assert.ok(read > 500, `only ${read} heads were read: the property says little`)
})
