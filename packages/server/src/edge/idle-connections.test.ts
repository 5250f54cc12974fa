import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { test } from 'node:test'
import { until } from '@masthead/testing/until.ts'
import { sitesWith } from './listener.test-kit.ts'
import { createListener } from './listener.ts'

/** Both ends are in this process, where a descriptor limit of 20,000 is common. */
const count = 8_000

const get = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n'

test(`${count} idle connections cost little memory, and each is still answered`, async () => {
  await using listener = await createListener({
    host: '127.0.0.1',
    port: 0,
    handle: (_req, res) => res.end(),
    sites: sitesWith(Buffer.from('front'), () => false),
    proxies: { isProxy: () => true, country: null },
    limits: { maxConnections: count + 1 },
  }).then((open) => ({ ...open, [Symbol.asyncDispose]: () => open.close(0) }))
  const before = process.memoryUsage().rss
  const sockets: Socket[] = []
  while (sockets.length < count) {
    const batch = Array.from({ length: 200 }, () => connect(listener.address.port, '127.0.0.1'))
    await Promise.all(batch.map((socket) => once(socket, 'connect')))
    sockets.push(...batch)
  }
  await until(() => listener.connections() === count)
  // Of the client's end too.
  const perConnection = (process.memoryUsage().rss - before) / count
  assert.ok(perConnection < 32 * 1024, `${Math.round(perConnection)} bytes each`)
  for (const socket of [sockets[0], sockets.at(-1)]) {
    socket?.write(get)
    const [answer] = await once(socket as Socket, 'data')
    assert.match(String(answer), /^HTTP\/1\.1 200 OK\r\n.*front$/s)
  }
  for (const socket of sockets) socket.destroy()
  await until(() => listener.connections() === 0)
})
