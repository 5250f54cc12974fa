import assert from 'node:assert/strict'
import { once } from 'node:events'
import { test } from 'node:test'
import { openConnection } from './connection.test-kit.ts'
import { protocols } from './socket-pair.test-kit.ts'

const forPlatform = 'POST /v1/upload HTTP/1.1\r\nHost: platform\r\nContent-Length: 1000000\r\n\r\n'

for (const [name, protocol] of Object.entries(protocols)) {
  // The name of a TLS connection tells at once whose it is.
  if (name.startsWith('TLS')) continue
  test(`a connection that the platform took over counts as idle only while nothing moves (${name})`, async () => {
    using connection = await openConnection(protocol, {
      // Answers every piece, as an upload that takes minutes is read piece by piece.
      toPlatform: (socket) => void socket.on('data', (piece) => socket.write(`${piece.length} `)),
    })
    const { client, monitor } = connection
    for (const piece of [forPlatform, 'the first piece', 'the second piece']) {
      client.write(piece)
      await once(client, 'data')
      assert.equal(monitor.checkActivity(), true, `after ${piece}`)
      assert.equal(monitor.checkActivity(), false, `nothing since ${piece}`)
    }
    monitor.end()
    await once(client, 'close')
  })
}
