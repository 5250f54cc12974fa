import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { healthyStream, testRules } from './conformance.test-kit.ts'
import { frame, windowUpdate } from './frames/frames.test-kit.ts'
import { errorCodes, flags, frameTypes, settingIds } from './frames/protocol.ts'
import { data, get, headers, reply, rstStream, settings, startWire } from './wire.test-kit.ts'

const { protocolError, streamClosed, refusedStream, noError } = errorCodes
const open = (stream: number) => headers(stream, { endStream: false })
const continuation = frame({ type: frameTypes.continuation, flags: flags.endHeaders, stream: 1 })

/** An answer that never comes, so that its stream stays half-closed. */
const waiting = {
  answer: ({ target }: { target: string }) => (target === '/' ? new Promise<null>(() => {}) : null),
}

describe('RFC 9113, 5.1: frames on idle streams', () => {
  testRules({
    'DATA is a connection error': { send: () => [data(1, 'x')], connectionError: protocolError },
    'RST_STREAM is a connection error': { send: () => [rstStream(1)], connectionError: protocolError },
    'WINDOW_UPDATE is a connection error': {
      send: () => [windowUpdate(1, 100)],
      connectionError: protocolError,
    },
    'CONTINUATION is a connection error': { send: () => [continuation], connectionError: protocolError },
  })
})

describe('RFC 9113, 5.1: frames on a stream whose request is complete', () => {
  for (const [name, bytes] of Object.entries({ DATA: data(1, 'x'), HEADERS: headers(1) })) {
    test(`${name} is a stream error while the answer waits`, async () => {
      for (const request of [[headers(1)], [open(1), data(1, 'content', true)]]) {
        await using wire = await startWire(waiting)
        const client = await wire.connect()
        client.send(...request, bytes, get(3, '/other'))
        assert.equal(await client.reset(1), streamClosed)
        assert.equal((await client.answer(3)).status, 421)
      }
    })
  }

  test('WINDOW_UPDATE, PRIORITY and RST_STREAM are allowed while the answer waits', async () => {
    await using wire = await startWire(waiting)
    const client = await wire.connect()
    const priority = frame({ type: frameTypes.priority, stream: 1, payload: Buffer.alloc(5) })
    client.send(headers(1), windowUpdate(1, 5), priority, rstStream(1), get(3, '/other'))
    assert.equal((await client.answer(3)).status, 421)
  })

  testRules({
    'DATA is a connection error once it is answered': {
      send: () => [headers(1), data(1, 'x')],
      connectionError: streamClosed,
    },
    'HEADERS are a connection error once it is answered': {
      send: () => [headers(1), headers(1)],
      connectionError: streamClosed,
    },
    'CONTINUATION is a connection error': {
      send: () => [headers(1), continuation],
      connectionError: protocolError,
    },
    'WINDOW_UPDATE and RST_STREAM are ignored once it is answered': {
      send: () => [headers(1), windowUpdate(1, 0x7fff_ffff), rstStream(1), rstStream(1)],
    },
  })
})

describe('RFC 9113, 5.1: frames after RST_STREAM', () => {
  testRules({
    'DATA is a connection error': {
      send: () => [open(1), rstStream(1), data(1, 'x')],
      connectionError: streamClosed,
    },
    'HEADERS are a connection error': {
      send: () => [open(1), rstStream(1), headers(1)],
      connectionError: streamClosed,
    },
    'CONTINUATION is a connection error': {
      send: () => [open(1), rstStream(1), continuation],
      connectionError: protocolError,
    },
  })

  test('what the client sent before it knew of our reset is ignored', async () => {
    await using wire = await startWire()
    const client = await wire.connect()
    client.send(headers(1, { endStream: false, fields: [[':method', 'GET']] }))
    client.send(
      data(1, 'more'),
      data(1, 'and more'),
      headers(1, { fields: [['x-trailer', 'y']] }),
      rstStream(1),
    )
    assert.equal(await client.reset(1), protocolError)
    await client.isHealthy(3)
  })

  test('only the latest hundred of our resets are remembered', async () => {
    await using wire = await startWire()
    const client = await wire.connect()
    const malformed = (stream: number) => headers(stream, { endStream: false, fields: [[':method', 'GET']] })
    for (let n = 0; n < 101; n++) client.send(malformed(2 * n + 1))
    client.send(data(3, 'more'))
    await client.isHealthy(203)
    client.send(data(1, 'more'))
    assert.equal(await client.goAway(), streamClosed)
  })
})

describe('RFC 9113, 5.1.1: stream identifiers', () => {
  testRules({
    'an even one is a connection error': { send: () => [headers(2)], connectionError: protocolError },
    'one that was passed over is a connection error': {
      send: () => [headers(5), headers(3)],
      connectionError: protocolError,
    },
    'one that was used before others is a connection error': {
      send: () => [headers(3), headers(5), headers(7), headers(3)],
      connectionError: streamClosed,
    },
    'they need not be next to each other': { send: () => [headers(1), headers(9), headers(501)] },
  })

  test('the largest one is answered', async () => {
    await using wire = await startWire()
    const client = await wire.connect()
    client.send(headers(0x7fff_ffff))
    assert.equal((await client.answer(0x7fff_ffff)).status, 200)
  })
})

describe('RFC 9113, 5.1.2: concurrent streams', () => {
  test('one too many is refused, and may be repeated later', async () => {
    const answers = Promise.withResolvers<null>()
    await using wire = await startWire({ answer: () => answers.promise, limits: { maxStreams: 10 } })
    const client = await wire.connect()
    for (let n = 0; n < 12; n++) client.send(headers(2 * n + 1))
    assert.deepEqual([await client.reset(21), await client.reset(23)], [refusedStream, refusedStream])
    answers.resolve(null)
    for (let n = 0; n < 10; n++) assert.equal((await client.answer(2 * n + 1)).status, 421)
    client.send(headers(25))
    assert.equal((await client.answer(25)).status, 421)
  })

  test('answers that the client does not take count, and complete ones do not', async () => {
    const limits = { maxStreams: 10 }
    await using wire = await startWire({ answer: () => reply('x'.repeat(100)), limits })
    const client = await wire.connect([settingIds.initialWindowSize, 50])
    for (let n = 0; n < 11; n++) client.send(headers(2 * n + 1))
    assert.equal(await client.reset(21), refusedStream)
    client.send(settings([settingIds.initialWindowSize, 100]))
    for (let n = 0; n < 10; n++) assert.equal((await client.answer(2 * n + 1)).body.length, 100)
    for (let n = 0; n < 300; n++) client.send(headers(2 * n + 101))
    for (let n = 0; n < 300; n++) assert.equal((await client.answer(2 * n + 101)).status, 200)
  })
})

describe('RFC 9113, 8.1: a request with content', () => {
  test('is answered at once, and stopped without an error once the answer is complete', async () => {
    await using wire = await startWire()
    const client = await wire.connect()
    client.send(open(1), data(1, 'some'))
    assert.equal((await client.answer(1)).status, 200)
    assert.equal(await client.reset(1), noError)
    client.send(data(1, 'more'))
    await client.isHealthy(3)
  })

  test('of any length does not use up the window of the connection', async () => {
    await using wire = await startWire()
    const client = await wire.connect()
    for (let n = 0; n < 40; n++) {
      const stream = 2 * n + 1
      client.send(open(stream), data(stream, Buffer.alloc(16_384)), data(stream, Buffer.alloc(5_000), true))
      if (n % 3 === 2)
        await client.next(({ type, stream }) => type === frameTypes.windowUpdate && stream === 0)
    }
    await client.isHealthy(healthyStream)
    assert.ok(!client.frames.some(({ type }) => type === frameTypes.rstStream))
  })

  test('is stopped once it is long', async () => {
    await using wire = await startWire()
    const client = await wire.connect()
    client.send(open(1), ...Array.from({ length: 3 }, () => data(1, Buffer.alloc(16_000))))
    assert.equal(await client.reset(1), noError)
    await client.isHealthy(3)
  })

  testRules({
    'may have trailers': {
      send: () => [open(1), data(1, 'x'), headers(1, { fields: [['x-trailer', 'y']] })],
    },
    'whose trailers do not end it is malformed': {
      send: () => [open(1), data(1, 'x'), headers(1, { fields: [['x', 'y']], endStream: false })],
      streamError: protocolError,
    },
    'whose trailers have pseudo-header fields is malformed': {
      send: () => [
        open(1),
        headers(1, {
          fields: [
            ['x', 'y'],
            [':method', 'GET'],
          ],
        }),
      ],
      streamError: protocolError,
    },
    'whose trailers are malformed is malformed': {
      send: () => [open(1), headers(1, { fields: [['X', 'y']] })],
      streamError: protocolError,
    },
  })

  test('may not go on after its trailers', async () => {
    await using wire = await startWire()
    const client = await wire.connect()
    client.send(open(1))
    await client.answer(1)
    client.send(headers(1, { fields: [['x', 'y']] }), data(1, 'x'))
    assert.equal(await client.goAway(), streamClosed)
  })
})
