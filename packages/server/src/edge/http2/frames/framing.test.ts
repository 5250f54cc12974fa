import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { until } from '@masthead/testing/until.ts'
import { testRules } from '../conformance.test-kit.ts'
import { data, encodeFields, get, getFields, headers, ping, settings, startWire } from '../wire.test-kit.ts'
import { frame } from './frames.test-kit.ts'
import { errorCodes, flags, frameTypes, maxFrameSize, preface } from './protocol.ts'

const { protocolError, frameSizeError, compressionError } = errorCodes
const open = (stream: number) => headers(stream, { endStream: false })
/** `content` ends with as much padding as there is room for. */
const _padded = (type: number, padding: number, content: Buffer, bits: number) =>
  frame({
    type,
    flags: bits | flags.padded,
    stream: 1,
    payload: Buffer.concat([Buffer.from([padding]), content]),
  })

describe('RFC 9113, 3.4: the preface', () => {
  test('is followed by settings of both sides, ours first', async () => {
    await using wire = await startWire()
    const client = await wire.dial()
    client.send(preface.subarray(0, 10))
    client.send(preface.subarray(10), settings(), get(1, '/'))
    assert.equal((await client.answer(1)).status, 200)
    const [first, second] = client.frames
    assert.deepEqual([first?.type, first?.flags], [frameTypes.settings, 0])
    assert.deepEqual([second?.type, second?.flags], [frameTypes.settings, flags.ack])
    const pairs: number[][] = []
    const { payload } = first ?? assert.fail()
    for (let at = 0; at < payload.length; at += 6) {
      pairs.push([payload.readUInt16BE(at), payload.readUInt32BE(at + 2)])
    }
    assert.deepEqual(pairs, [
      [3, 100],
      [6, 16_384],
      [9, 1],
    ])
  })

  for (const bytes of [
    'GET / HTTP/1.1\r\nHost: site.example\r\n\r\n',
    'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\r',
    'INVALID CONNECTION PREFACE\r\n\r\n',
    '\0',
  ]) {
    test(`anything else ends the connection: ${JSON.stringify(bytes)}`, async () => {
      await using wire = await startWire()
      const client = await wire.dial()
      client.send(Buffer.from(bytes))
      assert.equal(await client.goAway(), protocolError)
      await until(() => wire.sockets.size === 0)
    })
  }

  for (const [name, first] of Object.entries({
    HEADERS: get(1, '/'),
    PING: ping(),
    'the acknowledgement of SETTINGS': frame({ type: frameTypes.settings, flags: flags.ack }),
    'an unknown frame': frame({ type: 0xee }),
  })) {
    test(`${name} may not be the first frame`, async () => {
      await using wire = await startWire()
      const client = await wire.dial()
      client.send(preface, first)
      assert.equal(await client.goAway(), protocolError)
    })
  }
})

describe('RFC 9113, 4: frames', () => {
  testRules({
    '4.1: the reserved bit and undefined flags are ignored': {
      send: () => {
        const bytes = ping()
        bytes[5] = 0x80
        return [bytes, frame({ type: frameTypes.ping, flags: 0x16, payload: Buffer.alloc(8) })]
      },
    },
    '4.1: unknown types are ignored': {
      send: () => [frame({ type: 0x16, flags: 0xff, stream: 7, payload: Buffer.alloc(100) })],
    },
    '4.2: DATA of the largest size is accepted': {
      send: () => [open(1), data(1, Buffer.alloc(maxFrameSize), true)],
    },
    '4.2: larger DATA is a connection error': {
      send: () => [open(1), data(1, Buffer.alloc(maxFrameSize + 1), true)],
      connectionError: frameSizeError,
    },
    '4.2: larger HEADERS are a connection error': {
      send: () => [headers(1, { fields: [...getFields, ['x', 'y'.repeat(maxFrameSize)]] })],
      connectionError: frameSizeError,
    },
    '4.2: larger unknown frames are a connection error': {
      send: () => [frame({ type: 0x77, payload: Buffer.alloc(maxFrameSize + 1) })],
      connectionError: frameSizeError,
    },
    '4.3: a block that cannot be decoded is a connection error': {
      send: () => [
        frame({
          type: frameTypes.headers,
          flags: 5,
          stream: 1,
          payload: Buffer.from([0x40, 0xff, 0xff, 0xff]),
        }),
      ],
      connectionError: compressionError,
    },
    '4.3: an index of nothing (RFC 7541, 2.3.3) is a connection error': {
      send: () => [frame({ type: frameTypes.headers, flags: 5, stream: 1, payload: Buffer.from([0xfe]) })],
      connectionError: compressionError,
    },
    '4.3: the index zero (RFC 7541, 6.1) is a connection error': {
      send: () => [frame({ type: frameTypes.headers, flags: 5, stream: 1, payload: Buffer.from([0x80]) })],
      connectionError: compressionError,
    },
    '4.3: a table size update at the end (RFC 7541, 4.2) is a connection error': {
      send: () => [
        frame({
          ...{ type: frameTypes.headers, flags: 5, stream: 1 },
          payload: Buffer.concat([encodeFields(getFields), Buffer.from([0x20])]),
        }),
      ],
      connectionError: compressionError,
    },
    '4.3: a table size past our settings (RFC 7541, 6.3) is a connection error': {
      send: () => [
        frame({
          ...{ type: frameTypes.headers, flags: 5, stream: 1 },
          payload: Buffer.concat([Buffer.from([0x3f, 0xe2, 0x1f]), encodeFields(getFields)]),
        }),
      ],
      connectionError: compressionError,
    },
    '4.3: a block that is not complete may not be interrupted by another frame': {
      send: () => [headers(1, { endHeaders: false }), ping()],
      connectionError: protocolError,
    },
    '4.3: nor by HEADERS of another stream': {
      send: () => [headers(1, { endHeaders: false }), headers(3)],
      connectionError: protocolError,
    },
    '5.5: nor by an unknown frame': {
      send: () => [headers(1, { endHeaders: false }), frame({ type: 0x16 })],
      connectionError: protocolError,
    },
  })
})
