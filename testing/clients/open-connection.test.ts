import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { OpenConnection } from './open-connection.ts'

test('requests follow one another over one connection, until the server closes it', async () => {
  const server = createServer((request, response) => {
    const { method, url, headers, socket } = request
    if (url === '/last') response.setHeader('connection', 'close')
    response.statusCode = url === '/' ? 200 : 404
    response.end(`${method} ${headers.host} ${socket.remotePort} ä`)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  try {
    using connection = await OpenConnection.to((server.address() as AddressInfo).port)
    const first = await connection.ask('one.test')
    assert.match(first.body, /^GET one\.test \d+ /)
    assert.deepEqual(await connection.ask('one.test'), first)
    assert.equal((await connection.send('DELETE', 'two.test', '/last')).status, 404)
    await assert.rejects(connection.ask('one.test'))
  } finally {
    server.close()
  }
})
