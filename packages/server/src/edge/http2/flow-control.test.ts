import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { until } from '@masthead/testing/until.ts'
import { testRules } from './conformance.test-kit.ts'
import { type Frame, frame, windowUpdate } from './frames/frames.test-kit.ts'
import { errorCodes, frameTypes, maxWindow, settingIds } from './frames/protocol.ts'
import {
  data,
  fileReply,
  get,
  headers,
  ping,
  reply,
  settings,
  startWire,
  type WireClient,
} from './wire.test-kit.ts'

const { protocolError, frameSizeError, flowControlError } = errorCodes
const { initialWindowSize } = settingIds
const open = (stream: number) => headers(stream, { endStream: false })
const content = Buffer.from(Array.from({ length: 300_000 }, (_, n) => n % 251))
/** Keeps a stream open with all of its window. */
const unanswered = { answer: () => new Promise<never>(() => {}) }
const large = { answer: () => reply(content) }

/** What arrived on a stream once the server has answered everything before. */
async function received(client: WireClient, stream: number): Promise<Buffer> {
  client.send(ping())
  await client.next(({ type }) => type === frameTypes.ping)
  return Buffer.concat(dataOf(client, stream).map(({ payload }) => payload))
}

function dataOf({ frames }: WireClient, stream: number): Frame[] {
  return frames.filter((one) => one.type === frameTypes.data && one.stream === stream)
}

describe('RFC 9113, 6.9: WINDOW_UPDATE', () => {
  testRules({
    'of nothing for the connection is a connection error': {
      send: () => [windowUpdate(0, 0)],
      connectionError: protocolError,
    },
    'of nothing for a stream is a stream error': {
      send: () => [open(1), windowUpdate(1, 0)],
      streamError: protocolError,
    },
    'of nothing for a closed stream is a connection error': {
      send: () => [headers(1), windowUpdate(1, 0)],
      connectionError: protocolError,
    },
    'of another length is a connection error': {
      send: () => [frame({ type: frameTypes.windowUpdate, payload: Buffer.alloc(3) })],
      connectionError: frameSizeError,
    },
    'past the largest window of the connection (6.9.1) is a connection error': {
      send: () => [windowUpdate(0, maxWindow), windowUpdate(0, maxWindow)],
      connectionError: flowControlError,
    },
    'past the largest window of a stream (6.9.1) is a stream error': {
      send: () => [open(1), windowUpdate(1, maxWindow), windowUpdate(1, maxWindow)],
      streamError: flowControlError,
    },
    'past the largest window of a stream whose answer waits is a stream error': {
      send: () => [get(1, '/waiting'), windowUpdate(1, maxWindow)],
      options: { answer: ({ target }) => (target === '/waiting' ? new Promise(() => {}) : reply('x')) },
      streamError: flowControlError,
    },
  })
})

describe('RFC 9113, 6.9.1: no more is sent than the client accepts', () => {
  test('on a stream, down to a byte', async () => {
    await using wire = await startWire(large)
    const client = await wire.connect([initialWindowSize, 1])
    client.send(get(1, '/'))
    assert.equal((await received(client, 1)).length, 1)
    client.send(windowUpdate(1, 2), windowUpdate(1, 3))
    assert.deepEqual(await received(client, 1), content.subarray(0, 6))
    client.send(windowUpdate(1, 50_000))
    assert.deepEqual(await received(client, 1), content.subarray(0, 50_006))
  })

  test('on the connection, over all streams', async () => {
    await using wire = await startWire(large)
    const client = await wire.connect([initialWindowSize, 60_000])
    client.send(get(1, '/'), get(3, '/'), get(5, '/'))
    const lengths = async () => {
      const all: number[] = []
      for (const stream of [1, 3, 5]) all.push((await received(client, stream)).length)
      return all
    }
    assert.deepEqual(await lengths(), [60_000, 5_535, 0])
    client.send(windowUpdate(0, 60_000))
    assert.deepEqual(await lengths(), [60_000, 60_000, 5_535])
    client.send(windowUpdate(0, 1_000_000), ...[1, 3, 5].map((stream) => windowUpdate(stream, 1_000_000)))
    for (const stream of [1, 3, 5]) assert.deepEqual((await client.answer(stream)).body, content)
  })

  test('and heads do not count', async () => {
    await using wire = await startWire(large)
    const client = await wire.connect([initialWindowSize, 0])
    client.send(get(1, '/'), get(3, '/'))
    assert.equal((await received(client, 1)).length, 0)
    const heads = client.frames.filter(({ type }) => type === frameTypes.headers)
    assert.deepEqual(
      heads.map((head) => client.fieldsOf(head)[':status']),
      ['200', '200'],
    )
  })

  test('by the client, or its request is reset', async () => {
    const answer = ({ target }: { target: string }) => (target === '/' ? new Promise<null>(() => {}) : null)
    await using wire = await startWire({ answer })
    const client = await wire.connect()
    client.send(open(1))
    for (let n = 0; n < 4; n++) client.send(data(1, Buffer.alloc(16_000)))
    client.send(data(1, Buffer.alloc(1_536)))
    assert.equal(await client.reset(1), flowControlError)
    client.send(get(3, '/other'))
    assert.equal((await client.answer(3)).status, 421)
  })
})

describe('RFC 9113, 6.9.2: the initial window', () => {
  test('changes those of open streams, also below zero', async () => {
    await using wire = await startWire(large)
    const client = await wire.connect([initialWindowSize, 30_000])
    client.send(get(1, '/'))
    assert.equal((await received(client, 1)).length, 30_000)
    client.send(settings([initialWindowSize, 10_000]))
    client.send(windowUpdate(1, 15_000))
    assert.equal((await received(client, 1)).length, 30_000)
    client.send(windowUpdate(1, 6_000))
    assert.equal((await received(client, 1)).length, 31_000)
    client.send(settings([initialWindowSize, 20_000]))
    assert.equal((await received(client, 1)).length, 41_000)
    client.send(windowUpdate(0, 1_000_000), settings([initialWindowSize, 1_000_000]))
    assert.deepEqual((await client.answer(1)).body, content)
  })

  testRules({
    'past the largest is a connection error': {
      send: () => [settings([initialWindowSize, maxWindow + 1])],
      connectionError: flowControlError,
    },
    'that makes the window of a stream too large is a connection error': {
      options: unanswered,
      send: () => [open(1), windowUpdate(1, maxWindow - 65_535), settings([initialWindowSize, 65_536])],
      connectionError: flowControlError,
    },
    'may be the largest': { send: () => [settings([initialWindowSize, maxWindow]), headers(1)] },
  })
})

describe('an answer from a file', () => {
  const size = 1_000_003
  const file = Buffer.from(Array.from({ length: size }, (_, n) => (n * 7) % 253))

  function fileBody(events: string[], broken = Number.POSITIVE_INFINITY) {
    const readParts = async (start: number, into: readonly Buffer[]) => {
      const length = into.reduce((sum, part) => sum + part.length, 0)
      if (start + length > broken) throw new Error('the disk is broken')
      events.push('read')
      let at = start
      for (const part of into) at += file.copy(part, 0, at)
    }
    return () => ({
      length: size,
      bytes: null,
      read: (start: number, into: Buffer) => readParts(start, [into]),
      readParts,
      rest: () => void events.push('rest'),
      close: () => void events.push('close'),
    })
  }

  test('arrives whole, whatever the windows', async () => {
    for (const window of [1_000, 65_535, 2_000_000]) {
      const events: string[] = []
      await using wire = await startWire({ answer: () => fileReply(size), openBody: fileBody(events) })
      const client = await wire.connect([initialWindowSize, window])
      client.send(get(1, '/'), windowUpdate(0, 10_000_000), windowUpdate(1, size))
      assert.ok((await client.answer(1)).body.equals(file))
      assert.equal(events.filter((event) => event === 'close').length, 1)
    }
  })

  test('arrives whole if the client makes its window smaller while it is read', async () => {
    const events: string[] = []
    const isSmaller = Promise.withResolvers<void>()
    const openBody = () => {
      const body = fileBody(events)()
      const readParts = async (start: number, into: readonly Buffer[]) => {
        await body.readParts(start, into)
        await isSmaller.promise
      }
      return { ...body, readParts }
    }
    await using wire = await startWire({ answer: () => fileReply(size), openBody })
    const client = await wire.connect([initialWindowSize, 200_000])
    client.send(windowUpdate(0, 10_000_000), get(1, '/'))
    await until(() => events.includes('read'))
    client.send(settings([initialWindowSize, 20_000]))
    assert.equal((await received(client, 1)).length, 0)
    isSmaller.resolve()
    await until(() => events.includes('rest'))
    assert.equal((await received(client, 1)).length, 20_000)
    client.send(windowUpdate(1, size))
    assert.ok((await client.answer(1)).body.equals(file))
  })

  test('is not read before the client accepts it, and its file is closed meanwhile', async () => {
    const events: string[] = []
    await using wire = await startWire({ answer: () => fileReply(size), openBody: fileBody(events) })
    const client = await wire.connect([initialWindowSize, 0])
    client.send(get(1, '/'))
    await until(() => events.includes('close'))
    assert.deepEqual(events, ['close'])
    client.send(windowUpdate(1, 100))
    await until(() => dataOf(client, 1).length > 0)
    await until(() => events.length === 4)
    assert.deepEqual(events, ['close', 'read', 'rest', 'close'])
    client.send(windowUpdate(0, 2 * size), windowUpdate(1, size))
    assert.ok((await client.answer(1)).body.equals(file))
  })

  test('that breaks ends with an error, never as if it were complete', async () => {
    await using wire = await startWire({ answer: () => fileReply(size), openBody: fileBody([], 500_000) })
    const client = await wire.connect([initialWindowSize, 2_000_000])
    client.send(windowUpdate(0, 2_000_000), get(1, '/'))
    assert.equal(await client.reset(1), errorCodes.internalError)
    assert.ok(dataOf(client, 1).length > 0)
    assert.equal(wire.logged.length, 1)
  })

  test('that cannot be read at all is answered with 503', async () => {
    const missing = async () => {
      throw new Error('the file is missing')
    }
    for (const openBody of [fileBody([], 0), missing]) {
      let isFirst = true
      await using wire = await startWire({
        answer: () => fileReply(size),
        openBody(body) {
          if (body.kind !== 'bytes') return openBody()
          const { bytes } = body
          assert.ok(isFirst)
          isFirst = false
          return { length: bytes.length, bytes, read: missing, rest() {}, close() {} }
        },
      })
      const client = await wire.connect()
      client.send(get(1, '/'))
      const { status, body } = await client.answer(1)
      assert.equal(status, 503)
      assert.match(String(body), /cannot be shown right now/)
    }
  })
})
