import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { testRules } from './conformance.test-kit.ts'
import { errorCodes } from './frames/protocol.ts'
import { data, type Fields, getFields, headers, reply, startWire } from './wire.test-kit.ts'

const { protocolError } = errorCodes

/** GET of `/` with other or more fields. Undefined leaves one out. */
function request(changes: Record<string, string | undefined>, more: Fields = []): Buffer {
  const fields = getFields.flatMap(([name, value]): Fields => {
    const changed = name in changes ? changes[name] : value
    return changed === undefined ? [] : [[name, changed]]
  })
  return headers(1, { fields: [...fields, ...more] })
}

const withContent = (fields: Fields) => headers(1, { fields: [...getFields, ...fields], endStream: false })
const malformed = (send: () => Buffer[]) => ({ send, streamError: protocolError })

describe('RFC 9113, 8.1.1: a malformed request', () => {
  testRules({
    'has less content than it said': malformed(() => [
      withContent([['content-length', '5']]),
      data(1, 'four', true),
    ]),
    'has more content than it said': malformed(() => [
      withContent([['content-length', '3']]),
      data(1, 'four', true),
    ]),
    'has more content than it said in several frames': malformed(() => [
      withContent([['content-length', '5']]),
      data(1, 'four'),
      data(1, 'four', true),
    ]),
    'has no content but said so': malformed(() => [request({}, [['content-length', '1']])]),
    'has no length that is a number': malformed(() => [
      withContent([['content-length', '+4']]),
      data(1, 'four', true),
    ]),
    'has two lengths': malformed(() => [
      withContent([
        ['content-length', '4'],
        ['content-length', '5'],
      ]),
      data(1, 'four', true),
    ]),
    'has less content than it said before its trailers': malformed(() => [
      withContent([['content-length', '5']]),
      data(1, 'four'),
      headers(1, { fields: [['x', 'y']] }),
    ]),
  })
  testRules({
    'does not have as much content as it said': {
      send: () => [
        withContent([
          ['content-length', '4'],
          ['content-length', '4'],
        ]),
        data(1, 'fo'),
        data(1, 'ur', true),
      ],
    },
    'does not have the length 0 without content': { send: () => [request({}, [['content-length', '0']])] },
  })
})

describe('RFC 9113, 8.2: a malformed field', () => {
  const cases: Record<string, Fields[number]> = {
    '8.2.1: has upper case in its name': ['X-Test', 'y'],
    '8.2.1: has a space in its name': ['x test', 'y'],
    '8.2.1: has a control character in its name': ['x\x01', 'y'],
    '8.2.1: has a byte past ASCII in its name': ['x\xe4', 'y'],
    '8.2.1: has a colon in its name': ['x:y', 'y'],
    '8.2.1: has no name': ['', 'y'],
    '8.2.1: has a line feed in its value': ['x', 'a\nb'],
    '8.2.1: has a carriage return in its value': ['x', 'a\rb'],
    '8.2.1: has a NUL in its value': ['x', 'a\0b'],
    '8.2.1: begins with a space': ['x', ' a'],
    '8.2.1: ends with a tab': ['x', 'a\t'],
    '8.2.2: is Connection': ['connection', 'keep-alive'],
    '8.2.2: is Keep-Alive': ['keep-alive', 'timeout=5'],
    '8.2.2: is Proxy-Connection': ['proxy-connection', 'keep-alive'],
    '8.2.2: is Transfer-Encoding': ['transfer-encoding', 'chunked'],
    '8.2.2: is Upgrade': ['upgrade', 'h2c'],
    '8.2.2: is TE with more than trailers': ['te', 'trailers, deflate'],
  }
  testRules(
    Object.fromEntries(
      Object.entries(cases).map(([name, field]) => [name, malformed(() => [request({}, [field])])]),
    ),
  )
  testRules({
    '8.2.2: is not TE with trailers': { send: () => [request({}, [['te', 'trailers']])] },
    '8.2.3: is not one of several cookies': {
      send: () => [
        request({}, [
          ['cookie', 'a=b'],
          ['cookie', 'c=d'],
        ]),
      ],
    },
    'has bytes past ASCII in its value, which is allowed': { send: () => [request({}, [['x', '\xe4\xff']])] },
  })
})

describe('RFC 9113, 8.3: pseudo-header fields are malformed', () => {
  testRules({
    'if unknown': malformed(() => [request({}, [[':test', 'x']])]),
    'if they belong to answers': malformed(() => [request({}, [[':status', '200']])]),
    'if they belong to another protocol (RFC 8441)': malformed(() => [
      request({}, [[':protocol', 'websocket']]),
    ]),
    'after other fields': malformed(() => [
      headers(1, { fields: [...getFields.slice(0, 3), ['x', 'y'], ...getFields.slice(3)] }),
    ]),
    '8.3.1: without a method': malformed(() => [request({ ':method': undefined })]),
    '8.3.1: without a scheme': malformed(() => [request({ ':scheme': undefined })]),
    '8.3.1: without a path': malformed(() => [request({ ':path': undefined })]),
    '8.3.1: with an empty path': malformed(() => [request({ ':path': '' })]),
    '8.3.1: with a path that is not one': malformed(() => [request({ ':path': 'about' })]),
    '8.3.1: with a space in the path': malformed(() => [request({ ':path': '/a b' })]),
    '8.3.1: with a control character in the path': malformed(() => [request({ ':path': '/a\x7f' })]),
    '8.3.1: with an absolute URL as the path': malformed(() => [
      request({ ':path': 'https://site.example/' }),
    ]),
    '8.3.1: with an asterisk for anything but OPTIONS': malformed(() => [request({ ':path': '*' })]),
    '8.3.1: with a method that is not one': malformed(() => [request({ ':method': 'GE T' })]),
    '8.3.1: with two methods': malformed(() => [headers(1, { fields: [[':method', 'GET'], ...getFields] })]),
    '8.3.1: with two schemes': malformed(() => [
      headers(1, { fields: [[':scheme', 'https'], ...getFields] }),
    ]),
    '8.3.1: with two paths': malformed(() => [headers(1, { fields: [[':path', '/'], ...getFields] })]),
    '8.3.1: with two authorities': malformed(() => [
      headers(1, { fields: [[':authority', 'site.example'], ...getFields] }),
    ]),
    '8.3.1: with two hosts': malformed(() => [
      request({}, [
        ['host', 'site.example'],
        ['host', 'site.example'],
      ]),
    ]),
    '8.5: in CONNECT with a path': malformed(() => [request({ ':method': 'CONNECT' })]),
    '8.5: in CONNECT without an authority': malformed(() => [
      request({ ':method': 'CONNECT', ':path': undefined, ':scheme': undefined, ':authority': undefined }),
    ]),
  })
})

describe('a request', () => {
  async function statusOf(bytes: Buffer): Promise<{ status: number; body: string; seen: number }> {
    await using wire = await startWire()
    const client = await wire.connect()
    client.send(bytes)
    const { status, body } = await client.answer(1)
    return { status, body: String(body), seen: wire.requests.length }
  }

  test('reaches the site as it was sent', async () => {
    await using wire = await startWire()
    const client = await wire.connect()
    const fields: Fields = [
      ['accept', 'text/html'],
      ['accept', 'text/plain'],
      ['accept-encoding', 'br'],
      ['if-none-match', '"a"'],
      ['if-none-match', '"b"'],
      ['if-modified-since', 'first'],
      ['if-modified-since', 'second'],
      ['range', 'bytes=0-1'],
      ['user-agent', 'curl'],
    ]
    client.send(headers(1, { fields: [...getFields, ...fields] }))
    await client.answer(1)
    const [{ method, target, host, headers: seen, from } = assert.fail()] = wire.requests
    assert.deepEqual([method, target, host], ['GET', '/', 'site.example'])
    assert.equal(from?.(), '127.0.0.1')
    assert.deepEqual(JSON.parse(JSON.stringify(seen)), {
      accept: 'text/html, text/plain',
      'accept-encoding': 'br',
      'if-none-match': '"a", "b"',
      'if-modified-since': 'first',
      range: 'bytes=0-1',
    })
  })

  test('may name its host in Host, or in both fields', async () => {
    for (const bytes of [
      request({ ':authority': undefined }, [['host', 'site.example']]),
      request({}, [['host', 'SITE.example']]),
    ]) {
      assert.equal((await statusOf(bytes)).status, 200)
    }
  })

  test('for two hosts or with another scheme gets 400, which says so', async () => {
    for (const [bytes, said] of [
      [request({}, [['host', 'other.example']]), /The Host header and :authority name different hosts\./],
      [request({ ':scheme': 'http' }), /names another scheme\./],
    ] as const) {
      const { status, body, seen } = await statusOf(bytes)
      assert.deepEqual([status, seen], [400, 0])
      assert.match(body, said)
      assert.doesNotMatch(body, /missing or invalid/)
    }
    const head = await statusOf(request({ ':method': 'HEAD', ':scheme': 'http' }))
    assert.deepEqual([head.status, head.body], [400, ''])
  })

  test('to connect gets 405', async () => {
    const connect = request({ ':method': 'CONNECT', ':path': undefined, ':scheme': undefined })
    assert.equal((await statusOf(connect)).status, 405)
  })

  test('with OPTIONS may be for the whole server', async () => {
    const { status, seen } = await statusOf(request({ ':method': 'OPTIONS', ':path': '*' }))
    assert.deepEqual([status, seen], [200, 1])
  })

  test('for the platform gets 421, on a connection that goes on', async () => {
    await using wire = await startWire({ answer: ({ target }) => (target === '/' ? null : reply('x')) })
    const client = await wire.connect()
    client.send(request({}))
    assert.equal((await client.answer(1)).status, 421)
    client.send(headers(3, { fields: [[':method', 'HEAD'], ...getFields.slice(1)] }))
    const { status, body } = await client.answer(3)
    assert.deepEqual([status, body.length], [421, 0])
  })

  test('whose head is too large gets 431, and later ones are understood', async () => {
    await using wire = await startWire()
    const client = await wire.connect()
    const many = Array.from({ length: 120 }, (_, n): Fields[number] => [`x-${n}`, 'y'])
    for (const [n, fields] of [[['x', 'y'.repeat(16_200)] as Fields[number]], many].entries()) {
      client.send(headers(4 * n + 1, { fields: [...getFields, ...fields] }))
      const { status, body } = await client.answer(4 * n + 1)
      assert.deepEqual([status, String(body)], [431, '431 Request Header Fields Too Large\n'])
      await client.isHealthy(4 * n + 3)
    }
    assert.equal(wire.requests.length, 2)
  })
})
