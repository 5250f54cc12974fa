import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:http2'
import { connect as connectTcp } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { describe, test } from 'node:test'
import { testRules } from './conformance.test-kit.ts'
import { frame } from './frames/frames.test-kit.ts'
import { errorCodes, flags, frameTypes, settingIds } from './frames/protocol.ts'
import { get, ping, reply, settings, startWire } from './wire.test-kit.ts'

const { protocolError, frameSizeError } = errorCodes

describe('RFC 9113, 6.5: SETTINGS', () => {
  testRules({
    'on a stream are a connection error': {
      send: () => [frame({ type: frameTypes.settings, stream: 1 })],
      connectionError: protocolError,
    },
    'with a part of a setting are a connection error': {
      send: () => [frame({ type: frameTypes.settings, payload: Buffer.alloc(7) })],
      connectionError: frameSizeError,
    },
    'an acknowledgement with content is a connection error': {
      send: () => [frame({ type: frameTypes.settings, flags: flags.ack, payload: Buffer.alloc(6) })],
      connectionError: frameSizeError,
    },
    '6.5.2: ENABLE_PUSH is 0 or 1': {
      send: () => [settings([settingIds.enablePush, 2])],
      connectionError: protocolError,
    },
    '6.5.2: MAX_FRAME_SIZE has a least value': {
      send: () => [settings([settingIds.maxFrameSize, 16_383])],
      connectionError: protocolError,
    },
    '6.5.2: MAX_FRAME_SIZE has a largest value': {
      send: () => [settings([settingIds.maxFrameSize, 16_777_216])],
      connectionError: protocolError,
    },
    '6.5.2: unknown settings and all allowed values are accepted': {
      send: () => [
        settings([settingIds.enablePush, 0], [settingIds.enablePush, 1], [0xffff, 0xffff_ffff]),
        settings([settingIds.maxFrameSize, 16_777_215], [settingIds.maxConcurrentStreams, 0]),
        settings([settingIds.maxHeaderListSize, 0], [settingIds.headerTableSize, 0xffff_ffff]),
      ],
    },
    'RFC 9218, 2.1: NO_RFC7540_PRIORITIES is 0 or 1': {
      send: () => [settings([settingIds.noRfc7540Priorities, 2])],
      connectionError: protocolError,
    },
    'RFC 9218, 2.1: NO_RFC7540_PRIORITIES does not change': {
      send: () => [settings([settingIds.noRfc7540Priorities, 1])],
      connectionError: protocolError,
    },
  })

  test('6.5.3: each is acknowledged, and its values count in their order', async () => {
    await using wire = await startWire({ answer: () => reply('0123456789') })
    const client = await wire.connect()
    const { initialWindowSize } = settingIds
    client.send(settings([initialWindowSize, 100], [initialWindowSize, 3]), get(1, '/'), settings(), ping())
    await client.next(({ type }) => type === frameTypes.ping)
    const acknowledged = client.frames.filter(
      ({ type, flags: bits }) => type === frameTypes.settings && bits === 1,
    )
    assert.equal(acknowledged.length, 3)
    const [sent] = client.frames.filter(({ type }) => type === frameTypes.data)
    assert.equal(String(sent?.payload), '012')
  })

  for (const headerTableSize of [0, 100, 4096, 65_536]) {
    test(`RFC 7541, 4.2: a client with a table of ${headerTableSize} bytes can read our heads`, async () => {
      await using wire = await startWire()
      const session = connect('http://site.example', {
        createConnection: () => connectTcp(wire.port, '127.0.0.1'),
        settings: { headerTableSize },
      })
      for (let n = 0; n < 3; n++) {
        const stream = session.request({ ':path': '/', ':scheme': 'https' })
        const [head] = await once(stream, 'response')
        assert.equal(head[':status'], 200)
        assert.equal(String(await buffer(stream)), 'content of /')
        if (n === 1 && headerTableSize > 0) session.settings({ headerTableSize: headerTableSize / 2 })
      }
      session.destroy()
    })
  }
})
