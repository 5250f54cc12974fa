import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { until } from '@masthead/testing/until.ts'
import { frame, windowUpdate } from './frames/frames.test-kit.ts'
import { errorCodes, flags, frameTypes, preface, settingIds } from './frames/protocol.ts'
import {
  data,
  encodeFields,
  type Fields,
  fileReply,
  get,
  getFields,
  headers,
  ping,
  reply,
  rstStream,
  settings,
  startWire,
  uint32,
  type WireClient,
} from './wire.test-kit.ts'

const limits = { resetBurst: 50, resetRate: 1 }
const many = 400
const waitForever = {
  answer: ({ target }: { target: string }) => (target === '/' ? reply('x') : new Promise<null>(() => {})),
}

const post = (stream: number, more: Fields = []) =>
  headers(stream, { fields: [...getFields, ...more], endStream: false })
const padding = (stream: number) =>
  frame({
    type: frameTypes.data,
    flags: flags.padded,
    stream,
    payload: Buffer.concat([Buffer.from([99]), Buffer.alloc(99)]),
  })

/** What a client may do now and then, but not without end. */
const floods: Record<string, (n: number) => Buffer> = {
  'resets its requests (CVE-2023-44487)': (n) =>
    Buffer.concat([get(2 * n + 1, '/slow'), rstStream(2 * n + 1)]),
  'resets answers that are complete': (n) => Buffer.concat([get(2 * n + 1, '/'), rstStream(2 * n + 1)]),
  'makes us reset its requests by empty windows (CVE-2025-8671)': (n) =>
    Buffer.concat([get(2 * n + 1, '/slow'), windowUpdate(2 * n + 1, 0)]),
  'makes us reset its requests by windows too large (CVE-2025-8671)': (n) =>
    Buffer.concat([get(2 * n + 1, '/slow'), windowUpdate(2 * n + 1, 0x7fff_ffff)]),
  'makes us reset its requests by content after their end (CVE-2025-8671)': (n) =>
    Buffer.concat([get(2 * n + 1, '/slow'), data(2 * n + 1, 'x')]),
  'makes us reset its requests by more content than they have (CVE-2025-8671)': (n) =>
    Buffer.concat([post(2 * n + 1, [['content-length', '1']]), data(2 * n + 1, 'x'.repeat(20), true)]),
  'makes us reset its requests by malformed trailers (CVE-2025-8671)': (n) =>
    Buffer.concat([post(2 * n + 1), headers(2 * n + 1, { fields: [['X', 'y']] })]),
  'sends malformed requests': (n) => headers(2 * n + 1, { fields: [[':method', 'GET']] }),
  'opens more requests than it may': (n) => get(2 * n + 1, '/slow'),
  'pings (CVE-2019-9512)': () => ping(),
  'sends settings (CVE-2019-9515)': () => settings([settingIds.initialWindowSize, 65_535]),
  'acknowledges settings that were never sent': () => frame({ type: frameTypes.settings, flags: flags.ack }),
  'sends priorities (CVE-2019-9513)': () =>
    frame({ type: frameTypes.priority, stream: 1, payload: Buffer.from([0, 0, 0, 3, 1]) }),
  'sends priorities of requests': (n) =>
    frame({
      type: frameTypes.priorityUpdate,
      payload: Buffer.concat([uint32(1), Buffer.from(`u=${n % 8}`)]),
    }),
  'opens windows that were never used': () => windowUpdate(0, 1),
  'sends unknown frames': () => frame({ type: 0xfa, payload: Buffer.alloc(10) }),
  'says goodbye and stays': () => frame({ type: frameTypes.goAway, payload: uint32(0, 0) }),
  'sends content that is empty (CVE-2019-9518)': (n) => (n === 0 ? post(1) : data(1, '')),
  'sends content in tiny pieces': (n) => (n === 0 ? post(1) : data(1, 'x'.repeat(15))),
  'sends nothing but padding': (n) => (n === 0 ? post(1) : padding(1)),
}

describe('a client over its budget is told to calm down, and closed:', () => {
  for (const [name, flood] of Object.entries(floods)) {
    test(`one that ${name}`, async () => {
      await using wire = await startWire({ ...waitForever, limits })
      const [attacker, good] = [await wire.connect(), await wire.connect()]
      attacker.send(Buffer.concat(Array.from({ length: many }, (_, n) => flood(n))))
      assert.equal(await attacker.goAway(), errorCodes.enhanceYourCalm)
      await good.isHealthy(1)
      await until(() => wire.sockets.size === 1)
    })
  }

  test('one that sends header blocks without end (CVE-2024-27316)', async () => {
    for (const payload of [Buffer.alloc(0), Buffer.alloc(16_384, 0x82)]) {
      await using wire = await startWire()
      const client = await wire.connect()
      client.send(headers(1, { endHeaders: false }))
      const piece = frame({ type: frameTypes.continuation, stream: 1, payload })
      for (let n = 0; n < 600 && !client.hasEnded; n++) client.send(piece)
      assert.equal(await client.goAway(), errorCodes.enhanceYourCalm)
    }
  })

  test('but not one that opens windows as it reads', async () => {
    await using wire = await startWire({ answer: () => reply(Buffer.alloc(400_000)), limits })
    const client = await wire.connect()
    for (let n = 0; n < 10; n++) {
      const stream = 2 * n + 1
      client.send(get(stream, '/'))
      for (let taken = 0; taken < 24; taken++) {
        await client.next(({ type, stream: one }) => type === frameTypes.data && one === stream)
        client.send(windowUpdate(0, 16_667), windowUpdate(stream, 16_667))
      }
      assert.equal((await client.answer(stream)).body.length, 400_000)
    }
  })

  test('but not one that resets now and then', async () => {
    await using wire = await startWire({ ...waitForever, limits })
    const client = await wire.connect()
    for (let n = 0; n < 40; n++) client.send(get(2 * n + 1, '/slow'), rstStream(2 * n + 1))
    await client.isHealthy(101)
  })
})

describe('a client that does not read', () => {
  test('is not read from without end, and gets everything once it reads', async () => {
    const size = 40_000
    await using wire = await startWire({ answer: () => reply(Buffer.alloc(size)) })
    const client = await wire.connect([settingIds.initialWindowSize, 0x7fff_ffff])
    client.send(windowUpdate(0, 1_000_000_000))
    client.socket.pause()
    // A hundred at a time, as often as the server takes them.
    for (let n = 0; n < 100; n++) client.send(get(2 * n + 1, '/'))
    const [socket] = wire.sockets
    await until(() => wire.requests.length === 100 || (socket?.writableLength ?? 0) > 0)
    assert.ok((socket?.writableLength ?? 0) < 400_000)
    client.socket.resume()
    for (let n = 0; n < 100; n++) assert.equal((await client.answer(2 * n + 1)).body.length, size)
  })

  test('of requests that came at once has the rest answered once it reads', async () => {
    const many = 1_000
    const location = `/${'x'.repeat(14_000)}`
    await using wire = await startWire({
      answer: () => ({ status: 308, headers: ['Location', location], body: { kind: 'none' } }),
    })
    const client = await wire.connect()
    client.socket.pause()
    client.send(...Array.from({ length: many }, (_, n) => get(2 * n + 1, '/')))
    const [socket = assert.fail()] = wire.sockets
    await until(() => socket.isPaused())
    assert.ok(wire.requests.length < many)
    client.socket.resume()
    const heads = () => client.frames.filter(({ type }) => type === frameTypes.headers)
    await until(() => heads().length === many)
    assert.equal(new Set(heads().map(({ stream }) => stream)).size, many)
  })

  test('of an answer holds neither memory nor files, and is cancelled in the end', async () => {
    let open = 0
    const body = () => {
      open++
      return {
        ...{ length: 1_000_000, bytes: null },
        read: async () => {},
        rest() {},
        close: () => void open--,
      }
    }
    await using wire = await startWire({ answer: () => fileReply(1_000_000), openBody: body })
    const client = await wire.connect()
    client.send(get(1, '/'), get(3, '/'))
    await until(() => open === 0 && client.frames.some(({ type }) => type === frameTypes.data))
    const [monitor = assert.fail()] = wire.monitors
    for (let check = 0; check < 12; check++) {
      client.send(ping())
      await client.next(({ type }) => type === frameTypes.ping)
      monitor.checkActivity()
    }
    assert.deepEqual([await client.reset(1), await client.reset(3)], [errorCodes.cancel, errorCodes.cancel])
    assert.equal(monitor.checkActivity(), false)
  })

  test('and ends its side gets what fits, and no more is kept for it', async () => {
    await using wire = await startWire({
      answer: ({ target }) => reply(Buffer.alloc(Number(target.slice(1)))),
    })
    const client = await wire.connect()
    client.send(get(1, '/1000'), get(3, '/1000000'))
    client.socket.end()
    assert.equal((await client.answer(1)).body.length, 1000)
    await until(() => wire.sockets.size === 0)
    assert.ok(!client.frames.some((one) => one.stream === 3 && one.flags === flags.endStream))
  })
})

test('a client that ends its side after a request gets the whole answer', async () => {
  const slow = Promise.withResolvers<null>()
  await using wire = await startWire({ answer: () => slow.promise })
  const client = await wire.dial()
  client.send(preface, settings(), get(1, '/'))
  client.socket.end()
  await until(() => wire.requests.length === 1)
  slow.resolve(null)
  assert.equal((await client.answer(1)).status, 421)
  await until(() => wire.sockets.size === 0)
})

test('a client that has ended its side is waited for while its answer is not known', async () => {
  const slow = Promise.withResolvers<null>()
  await using wire = await startWire({
    answer: ({ target }) => (target === '/slow' ? slow.promise : reply('x')),
  })
  const [client, other] = [await wire.connect(), await wire.connect()]
  client.send(get(1, '/slow'))
  client.socket.end()
  await until(() => wire.requests.length === 1)
  // By then the connections were swept twice: the first time spares what is new.
  other.send(post(1))
  assert.equal(await other.reset(1), errorCodes.noError)
  slow.resolve(null)
  assert.equal((await client.answer(1)).status, 421)
})

test('a client that begins a head and does not go on is closed', async () => {
  for (const begun of [
    [headers(1, { endHeaders: false })],
    [headers(1).subarray(0, 20)],
    [headers(1).subarray(0, 4)],
  ]) {
    await using wire = await startWire()
    const client = await wire.connect()
    client.send(...begun)
    const [monitor = assert.fail()] = wire.monitors
    await until(() => {
      monitor.checkActivity()
      return wire.sockets.size === 0
    })
  }
})

test('a client that does not begin to speak HTTP/2, or does not go on, is closed', async () => {
  for (const begun of [Buffer.alloc(0), preface.subarray(0, 10)]) {
    await using wire = await startWire()
    const client = await wire.dial()
    client.send(begun)
    await until(() => wire.monitors.size === 1)
    const [monitor = assert.fail()] = wire.monitors
    await until(() => {
      monitor.checkActivity()
      return wire.sockets.size === 0
    })
  }
})

test('a head that is small on the wire and large in memory gets 431', async () => {
  await using wire = await startWire()
  const client = await wire.connect()
  const literal = Buffer.concat([Buffer.from([0x40]), encodeFields([['x', 'y'.repeat(3_000)]]).subarray(1)])
  const block = Buffer.concat([encodeFields(getFields), literal, Buffer.alloc(10_000, 0xbe)])
  client.send(frame({ type: frameTypes.headers, flags: 5, stream: 1, payload: block }))
  assert.equal((await client.answer(1)).status, 431)
  await client.isHealthy(3)
})

describe('on drain', () => {
  async function startSlow(): Promise<
    { finish: () => void; client: WireClient } & AsyncDisposable & {
        wire: Awaited<ReturnType<typeof startWire>>
      }
  > {
    const slow = Promise.withResolvers<null>()
    const wire = await startWire({ answer: ({ target }) => (target === '/slow' ? slow.promise : reply('x')) })
    const client = await wire.connect()
    client.send(get(1, '/'), get(3, '/slow'))
    await client.answer(1)
    return {
      wire,
      client,
      finish: () => slow.resolve(null),
      [Symbol.asyncDispose]: wire[Symbol.asyncDispose],
    }
  }

  test('RFC 9113, 6.8: new requests are answered for a moment, then those under way, then the connection ends', async () => {
    await using slow = await startSlow()
    const { client, wire } = slow
    const lastOf = async () => (await client.next(({ type }) => type === frameTypes.goAway)).payload
    wire.connections.drain()
    assert.deepEqual(await lastOf(), uint32(0x7fff_ffff, errorCodes.noError))
    client.send(get(5, '/'))
    assert.equal((await client.answer(5)).status, 200)
    wire.connections.close()
    assert.deepEqual(await lastOf(), uint32(5, errorCodes.noError))
    client.send(headers(7, { endStream: false }), data(7, 'x'), ping())
    await client.next(({ type }) => type === frameTypes.ping)
    slow.finish()
    assert.equal((await client.answer(3)).status, 421)
    await until(() => client.hasEnded && wire.sockets.size === 0)
    assert.ok(!client.frames.some(({ stream }) => stream === 7))
  })

  test('idle connections end, whatever they have said', async () => {
    await using wire = await startWire()
    await Promise.all([wire.connect(), wire.dial(), wire.connect()])
    await until(() => wire.sockets.size === 3)
    wire.connections.drain()
    wire.connections.close()
    await until(() => wire.sockets.size === 0)
  })
})
