import assert from 'node:assert/strict'
import { once } from 'node:events'
import { Agent, get, type IncomingMessage } from 'node:http'
import { connect } from 'node:net'
import { buffer, text } from 'node:stream/consumers'
import { test } from 'node:test'
import { askStream } from '../edge/https.test-kit.ts'
import { dashboardName, onEachPlatform } from './platform.test-kit.ts'

onEachPlatform('a large answer', (start) => {
  test('arrives complete, with its length, and under backpressure', async () => {
    await using platform = await start()
    const session = platform.edge.openSession(dashboardName)
    const { headers, body } = await askStream(session, '/v1/openapi.json')
    assert.ok(body.length > 64 * 1024)
    assert.equal(Number(headers['content-length']), body.length)
    assert.equal(JSON.parse(body.toString()).openapi, '3.1.0')
    session.destroy()

    for (const method of ['GET', 'HEAD']) {
      const socket = connect(platform.edge.plainPort, '127.0.0.1')
      await once(socket, 'connect')
      socket.write(
        `${method} /v1/openapi.json HTTP/1.1\r\nHost: ${dashboardName}\r\nConnection: close\r\n\r\n`,
      )
      const [head = '', content = ''] = (await text(socket)).split('\r\n\r\n')
      assert.match(head, new RegExp(`^content-length: ${body.length}\r?$`, 'im'))
      assert.equal(Buffer.byteLength(content), method === 'HEAD' ? 0 : body.length)
    }
  })

  // The platform fails its test on a warning about listeners.
  test('and a page after it are sent again and again on one connection, one by one and all at once', async () => {
    await using platform = await start()
    const session = platform.edge.openSession(dashboardName)
    await askStream(session, '/v1/openapi.json')
    const { body } = await askStream(session, '/')
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    const where = { agent, host: '127.0.0.1', port: platform.edge.plainPort, path: '/' }
    const askPlain = async () => {
      const [answer] = (await once(get({ ...where, headers: { Host: dashboardName } }), 'response')) as [
        IncomingMessage,
      ]
      return buffer(answer)
    }
    const askSecure = async () => (await askStream(session, '/')).body
    for (const ask of [askPlain, askSecure]) {
      for (let count = 0; count < 12; count++) assert.ok(body.equals(await ask()))
      for (const answer of await Promise.all(Array.from({ length: 24 }, ask))) assert.ok(body.equals(answer))
    }
    agent.destroy()
    session.destroy()
  })
})
