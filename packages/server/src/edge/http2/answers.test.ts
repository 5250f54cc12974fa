import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:http2'
import { connect as connectTcp } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { describe, test } from 'node:test'
import { withoutBody } from '../assets/reply.ts'
import { windowUpdate } from './frames/frames.test-kit.ts'
import { errorCodes, frameTypes, maxFrameSize, settingIds } from './frames/protocol.ts'
import { get, reply, settings, startWire } from './wire.test-kit.ts'

describe('an answer', () => {
  test('has status, fields, date and content, and ends its stream', async () => {
    await using wire = await startWire()
    const client = await wire.connect()
    client.send(get(1, '/a'), get(3, '/b'))
    const [one, other] = [await client.answer(1), await client.answer(3)]
    assert.deepEqual([one.status, String(one.body)], [200, 'content of /a'])
    assert.equal(String(other.body), 'content of /b')
    assert.equal(one.headers['content-length'], '13')
    assert.ok(Math.abs(Date.parse(String(one.headers.date)) - Date.now()) < 60_000)
  })

  test('arrives whole beside many others, in frames that every client accepts', async () => {
    const contentOf = (target: string) => target.repeat(1 + 400 * Number(target.slice(1)))
    await using wire = await startWire({ answer: ({ target }) => reply(contentOf(target)) })
    const client = await wire.connect([settingIds.initialWindowSize, 1_000_000])
    client.send(windowUpdate(0, 100_000_000))
    for (let first = 1; first < 300; first += 100) {
      const ids = Array.from({ length: 50 }, (_, n) => first + 2 * n)
      client.send(...ids.map((id) => get(id, `/${id % 113}`)))
      for (const id of ids) assert.equal(String((await client.answer(id)).body), contentOf(`/${id % 113}`))
    }
    assert(client.frames.every(({ payload }) => payload.length <= maxFrameSize))
  })

  test('without content ends with its head', async () => {
    await using wire = await startWire({ answer: () => withoutBody(reply('not sent')) })
    const client = await wire.connect([settingIds.initialWindowSize, 0])
    client.send(get(1, '/'))
    const { status, headers, body } = await client.answer(1)
    assert.deepEqual([status, headers['content-length'], body.length], [200, '8', 0])
  })

  test('with the same fields and another status has that status', async () => {
    const found = reply('page')
    const answer = ({ target }: { target: string }) => (target === '/' ? found : { ...found, status: 404 })
    await using wire = await startWire({ answer })
    const client = await wire.connect()
    const statuses: number[] = []
    for (const [n, path] of ['/', '/missing', '/', '/missing'].entries()) {
      client.send(get(2 * n + 1, path))
      statuses.push((await client.answer(2 * n + 1)).status)
    }
    assert.deepEqual(statuses, [200, 404, 200, 404])
  })

  test('may come later than those to later requests', async () => {
    const slow = Promise.withResolvers<null>()
    await using wire = await startWire({
      answer: ({ target }) => (target === '/slow' ? slow.promise : reply('quick')),
    })
    const client = await wire.connect()
    client.send(get(1, '/slow'), get(3, '/quick'))
    assert.equal(String((await client.answer(3)).body), 'quick')
    slow.resolve(null)
    assert.equal((await client.answer(1)).status, 421)
  })

  test('whose head is larger than a frame is cut (RFC 9113, 4.2)', async () => {
    const location = `/${'é'.repeat(9_000)}`
    const moved = { ...withoutBody(reply('')), status: 307, headers: ['Location', encodeURI(location)] }
    await using wire = await startWire({ answer: () => moved })
    const session = connect('http://site.example', {
      createConnection: () => connectTcp(wire.port, '127.0.0.1'),
      settings: { maxHeaderListSize: 200_000 },
    })
    const stream = session.request({ ':path': '/', ':scheme': 'https' })
    const [head] = await once(stream, 'response')
    assert.equal(head.location, encodeURI(location))
    stream.resume()
    await once(stream, 'end')
    session.destroy()
  })

  test('of any size arrives whole at a client that is not ours', async () => {
    await using wire = await startWire({ answer: ({ target }) => reply('x'.repeat(Number(target.slice(1)))) })
    const session = connect('http://site.example', {
      createConnection: () => connectTcp(wire.port, '127.0.0.1'),
    })
    const sizes = [0, 1, 16_383, 16_384, 16_385, 65_535, 65_536, 70_000, 1_000_000]
    const answers = [...sizes, ...sizes].map(async (size) => {
      const stream = session.request({ ':path': `/${size}`, ':scheme': 'https' })
      assert.equal((await buffer(stream)).length, size)
    })
    await Promise.all(answers)
    session.destroy()
  })

  test('that nobody waits for any more is not sent', async () => {
    const answers = Promise.withResolvers<null>()
    await using wire = await startWire({
      answer: ({ target }) => (target === '/slow' ? answers.promise : reply('x')),
    })
    const client = await wire.connect()
    client.send(get(1, '/slow'))
    client.send(Buffer.from([0, 0, 4, frameTypes.rstStream, 0, 0, 0, 0, 1, 0, 0, 0, errorCodes.cancel]))
    await client.isHealthy(3)
    answers.resolve(null)
    await client.isHealthy(5)
    assert.ok(!client.frames.some(({ stream }) => stream === 1))
  })
})

describe('priorities (RFC 9218)', () => {
  const size = 40_000
  const content = reply('x'.repeat(size))

  /** The streams in the order in which their frames were sent, once the window is opened. */
  async function orderOf(requests: [path: string, priority: string | null][], updates: Buffer[] = []) {
    await using wire = await startWire({ answer: () => content })
    const client = await wire.connect([settingIds.initialWindowSize, 0])
    client.send(
      ...requests.map(([path, priority], n) =>
        get(2 * n + 1, path, priority === null ? [] : [['priority', priority]]),
      ),
      ...updates,
      windowUpdate(0, 10_000_000),
      settings([settingIds.initialWindowSize, size]),
    )
    for (const n of requests.keys()) {
      const id = 2 * n + 1
      await client.answer(id)
    }
    const frames = client.frames.filter(({ type }) => type === frameTypes.data)
    assert.ok(frames.every(({ payload }) => payload.length <= 16_384))
    return frames.map(({ stream }) => stream)
  }

  const update = (stream: number, field: string) => {
    const payload = Buffer.concat([Buffer.from([0, 0, stream >> 8, stream]), Buffer.from(field)])
    const head = Buffer.from([0, 0, payload.length, frameTypes.priorityUpdate, 0, 0, 0, 0, 0])
    return Buffer.concat([head, payload])
  }

  test('4.1: the most urgent answers come first', async () => {
    const order = await orderOf([
      ['/', 'u=5'],
      ['/', null],
      ['/', 'u=0'],
      ['/', 'u=7'],
    ])
    assert.deepEqual(order, [5, 5, 5, 3, 3, 3, 1, 1, 1, 7, 7, 7])
  })

  test('4.2: incremental answers take turns, others come one after the other', async () => {
    assert.deepEqual(
      await orderOf([
        ['/', 'i'],
        ['/', 'i'],
        ['/', 'i'],
      ]),
      [1, 3, 5, 1, 3, 5, 1, 3, 5],
    )
    assert.deepEqual(
      await orderOf([
        ['/', null],
        ['/', 'u=3, i=?0'],
      ]),
      [1, 1, 1, 3, 3, 3],
    )
    const mixed = await orderOf([
      ['/', null],
      ['/', 'i'],
      ['/', null],
    ])
    assert.deepEqual(mixed, [1, 3, 1, 3, 1, 5, 3, 5, 5])
  })

  test('4: what is out of range or no priority at all is ignored', async () => {
    const order = await orderOf([
      ['/', 'u=9'],
      ['/', 'u=-1, ;;;'],
      ['/', 'u="1"'],
      ['/', 'u=2;x, i=?0'],
    ])
    assert.deepEqual(order.slice(0, 6), [7, 7, 7, 1, 1, 1])
  })

  test('7.1: PRIORITY_UPDATE overrides the field, before and after the request', async () => {
    const requests: [string, string | null][] = [
      ['/', 'u=0'],
      ['/', 'u=1'],
      ['/', 'u=2'],
    ]
    assert.deepEqual(await orderOf(requests, [update(1, 'u=7')]), [3, 3, 3, 5, 5, 5, 1, 1, 1])
    await using wire = await startWire({ answer: () => content })
    const client = await wire.connect([settingIds.initialWindowSize, 0])
    client.send(update(3, 'u=0'), get(1, '/', [['priority', 'u=1']]), get(3, '/', [['priority', 'u=5']]))
    client.send(windowUpdate(0, 10_000_000), settings([settingIds.initialWindowSize, size]))
    await client.answer(1)
    const [first] = client.frames.filter(({ type }) => type === frameTypes.data)
    assert.equal(first?.stream, 3)
  })

  for (const [name, bytes, code] of [
    ['on a stream', Buffer.from([0, 0, 4, 16, 0, 0, 0, 0, 1, 0, 0, 0, 1]), errorCodes.protocolError],
    ['for the connection', update(0, 'u=1'), errorCodes.protocolError],
    ['for a pushed stream', update(2, 'u=1'), errorCodes.protocolError],
    ['that is too short', Buffer.from([0, 0, 3, 16, 0, 0, 0, 0, 0, 0, 0, 0]), errorCodes.frameSizeError],
  ] as const) {
    test(`7.1: PRIORITY_UPDATE ${name} is a connection error`, async () => {
      await using wire = await startWire()
      const client = await wire.connect()
      client.send(bytes)
      assert.equal(await client.goAway(), code)
    })
  }

  test('7.1: PRIORITY_UPDATE for more requests than may be open is a connection error', async () => {
    await using wire = await startWire({ limits: { maxStreams: 10 } })
    const client = await wire.connect()
    for (let n = 0; n < 10; n++) client.send(update(2 * n + 1, 'u=1'), update(2 * n + 1, 'u=2'))
    await client.isHealthy(1)
    client.send(update(101, 'u=1'), update(103, 'u=1'))
    assert.equal(await client.goAway(), errorCodes.protocolError)
  })
})
