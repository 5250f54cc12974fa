import assert from 'node:assert/strict'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import { duplexPair } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { defaultListenerLimits } from '../accept/connection-limits.ts'
import { readRequestHead } from './request-head.ts'

const get = (fields: string, line = 'GET /a?b=c HTTP/1.1') => `${line}\r\n${fields}\r\n\r\n`

test('a plain request is read', () => {
  const head = readRequestHead(
    get('hOST: Hello:80\r\nAccept-Encoding:gzip,  br\r\nX-Empty:\r\nCookie: a=b\r\nrange:   bytes=0-1'),
  )
  assert.ok(head)
  const { headers, ...rest } = head
  assert.deepEqual(rest, { method: 'GET', target: '/a?b=c', host: 'Hello:80', keepAlive: true })
  assert.deepEqual(
    [headers['accept-encoding'], headers.range, headers['if-none-match'], headers['if-range']],
    ['gzip,  br', 'bytes=0-1', undefined, undefined],
  )
  assert.equal(readRequestHead(get('Host: a', 'HEAD / HTTP/1.1'))?.method, 'HEAD')
  assert.equal(readRequestHead(get('Host: a\r\nConnection: Keep-Alive'))?.keepAlive, true)
  assert.equal(readRequestHead(get('Host: a\r\nConnection: close'))?.keepAlive, false)
})

describe('left to node:http is', () => {
  const doubtful: Record<string, string> = {
    'another method': get('Host: a', 'POST / HTTP/1.1'),
    'another version': get('Host: a', 'GET / HTTP/1.0'),
    'an absolute target': get('Host: a', 'GET http://a/ HTTP/1.1'),
    'the asterisk': get('Host: a', 'GET * HTTP/1.1'),
    'a fragment': get('Host: a', 'GET /#a HTTP/1.1'),
    'a target beyond ASCII': get('Host: a', 'GET /\xe9 HTTP/1.1'),
    'two spaces in the request line': get('Host: a', 'GET  / HTTP/1.1'),
    'a line before the request line': `\r\n${get('Host: a')}`,
    'no Host': get('X: a'),
    'no field at all': 'GET / HTTP/1.1\r\n\r\n',
    'two Hosts': get('Host: a\r\nHost: a'),
    'a space before the colon': get('Host : a'),
    'a name that is none': get('Host: a\r\nX(: a'),
    'a folded field': get('Host: a\r\nX: a\r\n b'),
    'a bare line feed': get('Host: a\nX: a'),
    'a bare carriage return': get('Host: a\r\nX: a\rb'),
    'a tab in a value': get('Host: a\r\nX: a\tb'),
    'a space after a value': get('Host: a\r\nX: a '),
    'a value beyond ASCII': get('Host: a\r\nX: \xe9'),
    'a NUL': get('Host: a\r\nX: \0'),
    'a length': get('Host: a\r\nContent-Length: 0'),
    'a transfer coding': get('Host: a\r\ntransfer-encoding: chunked'),
    'an upgrade': get('Host: a\r\nUpgrade: h2c'),
    'an expectation': get('Host: a\r\nExpect: 100-continue'),
    trailers: get('Host: a\r\nTrailer: x'),
    'another connection option': get('Host: a\r\nConnection: keep-alive, upgrade'),
    'two connection options': get('Host: a\r\nConnection: close\r\nConnection: close'),
    'the connection to a proxy': get('Host: a\r\nProxy-Connection: close'),
    'a condition given twice': get('Host: a\r\nIf-None-Match: "a"\r\nIf-None-Match: "b"'),
    'a head over 8 KiB': get(`Host: a\r\nX: ${'x'.repeat(8192)}`),
    'more than a hundred fields': get(`Host: a${'\r\nX: a'.repeat(100)}`),
    'a head without its end': 'GET / HTTP/1.1\r\nHost: a\r\n',
    'a head and something after it': `${get('Host: a')}x`,
    nothing: '',
  }
  for (const [name, text] of Object.entries(doubtful)) {
    test(name, () => assert.equal(readRequestHead(text), null))
  }
})

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

test('whatever the fast path parses, node:http parses the same, as one request', async () => {
  const next = 'GET /next HTTP/1.1\r\nHost: next\r\n\r\n'
  let read = 0
  await fc.assert(
    fc.asyncProperty(fc.oneof(generated, mutated), async (text) => {
      const head = readRequestHead(text)
      if (head === null) return
      read++
      const { requests, refused } = await seenByNode(head.keepAlive ? text + next : text)
      const [first, ...after] = requests
      assert.equal(refused, false)
      assert.ok(first)
      assert.deepEqual(
        [first.method, first.target, first.headers.host, first.keepAlive],
        [head.method, head.target, head.host, head.keepAlive],
      )
      for (const name of ['accept-encoding', 'if-none-match', 'if-range', 'range'] as const) {
        assert.equal(first.headers[name], head.headers[name], name)
      }
      assert.deepEqual(
        after.map(({ target }) => target),
        head.keepAlive ? ['/next'] : [],
      )
    }),
    { numRuns: 3000 },
  )
  assert.ok(read > 500, `only ${read} heads were read: the property says little`)
})
