import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { testRules } from '../conformance.test-kit.ts'
import {
  data,
  encodeFields,
  getFields,
  headers,
  ping,
  rstStream,
  startWire,
  uint32,
} from '../wire.test-kit.ts'
import { frame, windowUpdate } from './frames.test-kit.ts'
import { errorCodes, flags, frameTypes } from './protocol.ts'

const { protocolError, frameSizeError, streamClosed } = errorCodes
const open = (stream: number) => headers(stream, { endStream: false })
/** `content` ends with as much padding as there is room for. */
const padded = (type: number, padding: number, content: Buffer, bits: number) =>
  frame({
    type,
    flags: bits | flags.padded,
    stream: 1,
    payload: Buffer.concat([Buffer.from([padding]), content]),
  })

describe('RFC 9113, 6.1: DATA', () => {
  testRules({
    'without a stream is a connection error': { send: () => [data(0, 'x')], connectionError: protocolError },
    'may be padded': {
      send: () => [open(1), padded(frameTypes.data, 5, Buffer.from('content-----'), flags.endStream)],
    },
    'may be nothing but padding': {
      send: () => [open(1), padded(frameTypes.data, 0, Buffer.alloc(0), flags.endStream)],
    },
    'with more padding than content is a connection error': {
      send: () => [open(1), padded(frameTypes.data, 5, Buffer.from('four'), flags.endStream)],
      connectionError: protocolError,
    },
    'with no room for its padding is a connection error': {
      send: () => [open(1), frame({ type: frameTypes.data, flags: flags.padded, stream: 1 })],
      connectionError: frameSizeError,
    },
  })
})

describe('RFC 9113, 6.2: HEADERS', () => {
  const block = encodeFields(getFields)
  const complete = flags.endHeaders | flags.endStream
  testRules({
    'without a stream are a connection error': { send: () => [headers(0)], connectionError: protocolError },
    'may be padded': {
      send: () => [padded(frameTypes.headers, 3, Buffer.concat([block, Buffer.alloc(3)]), complete)],
    },
    'with more padding than content are a connection error': {
      send: () => [padded(frameTypes.headers, 200, block, complete)],
      connectionError: protocolError,
    },
    'may have a priority, which is ignored': {
      send: () => [
        frame({
          ...{ type: frameTypes.headers, flags: complete | flags.priority, stream: 1 },
          payload: Buffer.concat([uint32(0x8000_0003), Buffer.from([255]), block]),
        }),
      ],
    },
    'with no room for their priority are a connection error': {
      send: () => [
        frame({
          ...{ type: frameTypes.headers, flags: complete | flags.priority, stream: 1 },
          payload: Buffer.alloc(4),
        }),
      ],
      connectionError: frameSizeError,
    },
    'whose stream depends on itself (RFC 7540, 5.3.1) are a stream error': {
      send: () => [
        frame({
          ...{ type: frameTypes.headers, flags: complete | flags.priority, stream: 1 },
          payload: Buffer.concat([uint32(1), Buffer.from([15]), block]),
        }),
      ],
      streamError: protocolError,
    },
  })
})

describe('RFC 9113, 6.3: PRIORITY', () => {
  const priority = (stream: number, dependency: number, length = 5) =>
    frame({
      ...{ type: frameTypes.priority, stream },
      payload: Buffer.concat([uint32(dependency), Buffer.from([15, 0, 0])]).subarray(0, length),
    })
  testRules({
    'is ignored on idle, open and closed streams': {
      send: () => [
        priority(9, 0),
        headers(1),
        priority(1, 9),
        priority(3, 0x8000_0001),
        open(3),
        priority(3, 1),
      ],
    },
    'without a stream is a connection error': {
      send: () => [priority(0, 1)],
      connectionError: protocolError,
    },
    'of another length is a connection error': {
      send: () => [priority(1, 3, 4)],
      connectionError: frameSizeError,
    },
    'that makes a stream depend on itself (RFC 7540, 5.3.1) is a connection error': {
      send: () => [priority(1, 1)],
      connectionError: protocolError,
    },
  })
})

describe('RFC 9113, 6.4: RST_STREAM', () => {
  testRules({
    'ends a stream': { send: () => [open(1), rstStream(1)] },
    'is ignored on a closed stream, with any code': { send: () => [headers(1), rstStream(1, 0xffff_ffff)] },
    'without a stream is a connection error': { send: () => [rstStream(0)], connectionError: protocolError },
    'on an idle stream is a connection error': { send: () => [rstStream(1)], connectionError: protocolError },
    'of another length is a connection error': {
      send: () => [open(1), frame({ type: frameTypes.rstStream, stream: 1, payload: Buffer.alloc(3) })],
      connectionError: frameSizeError,
    },
  })
})

describe('RFC 9113, 6.6: PUSH_PROMISE', () => {
  testRules({
    'of a client is a connection error': {
      send: () => [open(1), frame({ type: frameTypes.pushPromise, flags: 4, stream: 1, payload: uint32(2) })],
      connectionError: protocolError,
    },
  })
})

describe('RFC 9113, 6.7: PING', () => {
  test('is answered with the same content, once', async () => {
    await using wire = await startWire()
    const client = await wire.connect()
    client.send(
      frame({ type: frameTypes.ping, flags: flags.ack, payload: Buffer.from('ignore!!') }),
      ping('12345678'),
    )
    const answer = await client.next(({ type }) => type === frameTypes.ping)
    assert.deepEqual([answer.flags, answer.stream, String(answer.payload)], [flags.ack, 0, '12345678'])
    await client.isHealthy(1)
    assert.equal(client.frames.filter(({ type }) => type === frameTypes.ping).length, 2)
  })
  testRules({
    'on a stream is a connection error': {
      send: () => [frame({ type: frameTypes.ping, stream: 1, payload: Buffer.alloc(8) })],
      connectionError: protocolError,
    },
    'of another length is a connection error': {
      send: () => [frame({ type: frameTypes.ping, payload: Buffer.alloc(7) })],
      connectionError: frameSizeError,
    },
  })
})

describe('RFC 9113, 6.8: GOAWAY', () => {
  testRules({
    'of a client changes nothing for its requests, whatever the code': {
      send: () => [frame({ type: frameTypes.goAway, payload: uint32(0, 0xff) })],
    },
    'on a stream is a connection error': {
      send: () => [frame({ type: frameTypes.goAway, stream: 1, payload: uint32(0, 0) })],
      connectionError: protocolError,
    },
    'that is too short is a connection error': {
      send: () => [frame({ type: frameTypes.goAway, payload: uint32(0) })],
      connectionError: frameSizeError,
    },
  })
})

describe('RFC 9113, 6.10: CONTINUATION', () => {
  const block = encodeFields(getFields)
  const begin = (stream: number, bits: number = flags.endStream) =>
    frame({ type: frameTypes.headers, flags: bits, stream, payload: block.subarray(0, 5) })
  const middle = (stream: number, start = 5, end = block.length, bits = 0) =>
    frame({ type: frameTypes.continuation, flags: bits, stream, payload: block.subarray(start, end) })
  test('carries a block in as many pieces as there are', async () => {
    await using wire = await startWire()
    const client = await wire.connect()
    client.send(
      begin(1),
      middle(1, 5, 5),
      middle(1, 5, 20),
      middle(1, 20, 21),
      middle(1, 21, undefined, flags.endHeaders),
    )
    assert.equal(String((await client.answer(1)).body), 'content of /')
    client.send(begin(3, 0), middle(3, 5, undefined, flags.endHeaders), data(3, '', true))
    assert.equal(String((await client.answer(3)).body), 'content of /')
  })
  testRules({
    'followed by another frame is a connection error': {
      send: () => [begin(1), middle(1), ping()],
      connectionError: protocolError,
    },
    'of another stream is a connection error': {
      send: () => [begin(1), middle(3, 5, undefined, flags.endHeaders)],
      connectionError: protocolError,
    },
    'without a stream is a connection error': {
      send: () => [begin(1), middle(0)],
      connectionError: protocolError,
    },
    'after a complete block is a connection error': {
      send: () => [headers(1), middle(1)],
      connectionError: protocolError,
    },
    'after the last CONTINUATION is a connection error': {
      send: () => [begin(1), middle(1, 5, undefined, flags.endHeaders), middle(1)],
      connectionError: protocolError,
    },
    'after DATA is a connection error': {
      send: () => [open(1), data(1, 'x'), middle(1)],
      connectionError: protocolError,
    },
    'on an idle stream is a connection error': { send: () => [middle(1)], connectionError: protocolError },
  })
})

describe('RFC 9113, 7: error codes', () => {
  testRules({
    'that nobody knows are like any other': {
      send: () => [open(1), rstStream(1, 0xdead), windowUpdate(0, 1)],
    },
    'DATA after RST_STREAM is a connection error': {
      send: () => [open(1), rstStream(1), data(1, 'x')],
      connectionError: streamClosed,
    },
  })
})
