import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { until } from '@masthead/testing/until.ts'
import { windowUpdate } from './frames/frames.test-kit.ts'
import { errorCodes, frameTypes, settingIds } from './frames/protocol.ts'
import { fileReply, get, headers, memoryBody, ping, reply, startWire } from './wire.test-kit.ts'

test('a file that cannot be opened again after the client did not read for a while is answered with 503', async () => {
  const large = 30_000_000
  let opened = 0
  let closed = 0
  await using wire = await startWire({
    answer: ({ target }) => (target === '/file' ? fileReply(2_000_000) : reply(Buffer.alloc(large))),
    openBody(body) {
      if (body.kind === 'bytes') return memoryBody(body.bytes)
      if (++opened > 1) return Promise.reject(new Error('the store is away'))
      return {
        ...{ length: 2_000_000, bytes: null, read: async () => {}, rest() {} },
        close: () => void closed++,
      }
    },
  })
  const client = await wire.connect([settingIds.initialWindowSize, 0x7fff_ffff])
  client.socket.pause()
  client.send(windowUpdate(0, 1_000_000_000), get(1, '/'), get(3, '/file'))
  await until(() => closed > 0)
  client.socket.resume()
  assert.equal((await client.answer(1)).body.length, large)
  assert.equal((await client.answer(3)).status, 503)
})

test('a client that reads nothing for a while after it has ended its side gets the whole answer', async () => {
  const size = 30_000_000
  await using wire = await startWire({
    answer: ({ target }) => reply(Buffer.alloc(target === '/large' ? size : 1)),
  })
  const [client, other] = [
    await wire.connect([settingIds.initialWindowSize, 0x7fff_ffff]),
    await wire.connect(),
  ]
  client.socket.pause()
  client.send(windowUpdate(0, 1_000_000_000), get(1, '/large'))
  client.socket.end()
  await until(() => wire.requests.length === 1)
  // By then the connections were swept twice, and once more.
  for (const stream of [1, 3]) {
    other.send(headers(stream, { endStream: false }))
    assert.equal(await other.reset(stream), errorCodes.noError)
  }
  client.socket.resume()
  assert.equal((await client.answer(1)).body.length, size)
  await until(() => wire.sockets.size === 1)
})

test('an answer is not cancelled while the client reads another one, which comes first', async () => {
  const size = 200_000
  await using wire = await startWire({ answer: () => reply(Buffer.alloc(size)) })
  const client = await wire.connect([settingIds.initialWindowSize, 0x7fff_ffff])
  client.send(get(1, '/'), get(3, '/'))
  const [monitor = assert.fail()] = wire.monitors
  for (let check = 0; check < 12; check++) {
    client.send(windowUpdate(0, 1_000), ping())
    await client.next(({ type }) => type === frameTypes.ping)
    monitor.checkActivity()
  }
  client.send(windowUpdate(0, 1_000_000))
  for (const stream of [1, 3]) assert.equal((await client.answer(stream)).body.length, size)
})

test('an answer that the client does not accept is cancelled while it reads another one', async () => {
  await using wire = await startWire({ answer: () => reply(Buffer.alloc(200_000)) })
  const client = await wire.connect([settingIds.initialWindowSize, 1_000])
  client.send(windowUpdate(0, 1_000_000), get(1, '/'), get(3, '/'))
  const [monitor = assert.fail()] = wire.monitors
  for (let check = 0; check < 12; check++) {
    client.send(windowUpdate(1, 1_000), ping())
    await client.next(({ type }) => type === frameTypes.ping)
    monitor.checkActivity()
  }
  assert.equal(await client.reset(3), errorCodes.cancel)
  client.send(windowUpdate(1, 1_000_000))
  assert.equal((await client.answer(1)).body.length, 200_000)
})

test('on drain, an answer that is on its way arrives whole, however slowly it is read', async () => {
  const size = 2_000_000
  await using wire = await startWire({ answer: () => reply(Buffer.alloc(size)) })
  const client = await wire.connect([settingIds.initialWindowSize, 0x7fff_ffff])
  client.socket.pause()
  client.send(windowUpdate(0, 1_000_000_000), get(1, '/'))
  await until(() => wire.requests.length === 1)
  wire.connections.close()
  const [socket = assert.fail()] = wire.sockets
  await until(() => socket.writableFinished)
  // As a client that reads a little at a time says it.
  for (let count = 0; count < 10; count++) {
    client.send(windowUpdate(0, 1_000))
    await sleep(200)
  }
  client.socket.resume()
  assert.equal((await client.answer(1)).body.length, size)
  client.socket.end()
  await until(() => wire.sockets.size === 0)
})
