import assert from 'node:assert/strict'
import { once } from 'node:events'
import { constants } from 'node:http2'
import { connect } from 'node:net'
import { test } from 'node:test'
import { nobody } from '../api/api.test-kit.ts'
import { dashboardName, onEachPlatformAtOnce, type Platform } from './platform.test-kit.ts'

/** Three fit in the time that they may wait. */
const rejections = { perSecond: 2, maxWait: 1_200 }
const flood = 100

async function useUpLimit({ api }: Platform, headers: Record<string, string> = {}): Promise<void> {
  for (let count = 0; count < 60; count++) await api.send('GET /v1/server', nobody, { headers })
}

/** Everything that one more connection gets until it ends. */
async function ask({ edge }: Platform, path: string, headers = ''): Promise<string> {
  const socket = connect(edge.plainPort, '127.0.0.1')
  let text = ''
  socket.on('data', (chunk: Buffer) => {
    text += chunk.toString('latin1')
  })
  socket.on('error', () => {})
  socket.write(`GET ${path} HTTP/1.1\r\nHost: ${dashboardName}\r\nConnection: close\r\n${headers}\r\n`)
  await once(socket, 'close')
  return text
}

onEachPlatformAtOnce(4, 'a flood of requests without a key', (start) => {
  for (const path of ['/v1/server', '/v1/%', '/assets/none']) {
    test(`for ${path} gets few answers, and its other connections are closed without one`, async () => {
      await using platform = await start({ rejections })
      await useUpLimit(platform)
      const answers = await Promise.all(Array.from({ length: flood }, () => ask(platform, path)))
      const answered = answers.filter((text) => text !== '')
      for (const text of answered) assert.match(text, /^HTTP\/1\.1 429 /)
      assert.ok(answered.length > 0)
      assert.ok(answered.length < flood / 2, `${answered.length} were answered`)
      assert.deepEqual(
        platform.api.logged.filter((line) => !line.includes('"level":30')),
        [],
      )
    })
  }

  test('over HTTP/2 loses the streams, not the connection', async () => {
    await using platform = await start({ rejections })
    await useUpLimit(platform)
    const session = platform.edge.openSession(dashboardName)
    const ends = await Promise.all(
      Array.from({ length: flood / 2 }, async () => {
        const stream = session.request({ ':path': '/v1/server' }).resume()
        stream.on('error', () => {})
        await new Promise((resolve) => stream.once('close', resolve))
        return stream.rstCode
      }),
    )
    const dropped = ends.filter((code) => code === constants.NGHTTP2_ENHANCE_YOUR_CALM)
    assert.ok(dropped.length > flood / 4, `${dropped.length} were dropped`)
    assert.equal(session.destroyed, false)
    session.destroy()
  })

  test('through a trusted proxy is answered, because its connections are those of others too', async () => {
    await using platform = await start({ rejections, trustedProxies: ['127.0.0.1'] })
    await useUpLimit(platform, { 'X-Forwarded-For': '192.0.2.1' })
    const answers = await Promise.all(
      Array.from({ length: flood }, () => ask(platform, '/v1/server', 'X-Forwarded-For: 192.0.2.1\r\n')),
    )
    for (const text of answers) assert.match(text, /^HTTP\/1\.1 429 /)
    assert.match(await ask(platform, '/v1/server', 'X-Forwarded-For: 192.0.2.2\r\n'), /^HTTP\/1\.1 200 /)
  })
})
