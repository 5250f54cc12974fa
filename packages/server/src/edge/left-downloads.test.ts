import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { request as requestPlain } from 'node:http'
import type { ClientHttp2Session } from 'node:http2'
import { request as requestSecure } from 'node:https'
import type { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { test } from 'node:test'
import { siteName, startHttps } from './https.test-kit.ts'

const large = randomBytes(6 * 1024 ** 2)
const path = '/large.bin'
/** So that answers are not sent in small parts. */
const window = 2 ** 30

type Site = Awaited<ReturnType<typeof startSite>>

interface Download {
  body: Readable
  leave(): void
}

async function startSite() {
  const edge = await startHttps()
  await edge.publish('hello', { [path]: large })
  await edge.certify(siteName)
  return edge
}

async function openSession(edge: Site): Promise<ClientHttp2Session> {
  const session = edge.openSession()
  session.settings({ initialWindowSize: window })
  await once(session, 'connect')
  session.setLocalWindowSize(window)
  return session
}

async function overHttp2(edge: Site): Promise<Download> {
  const session = await openSession(edge)
  const [body, second] = [session.request({ ':path': path }), session.request({ ':path': path })]
  for (const stream of [body, second]) stream.on('error', () => {})
  second.resume()
  return { body, leave: () => session.destroy() }
}

async function overHttp1(edge: Site, isSecure: boolean): Promise<Download> {
  const to = { host: '127.0.0.1', path, agent: false, headers: { host: siteName } }
  const request = isSecure
    ? requestSecure({ ...to, port: edge.port, servername: siteName, ca: edge.root.certificatePem })
    : requestPlain({ ...to, port: edge.plainPort })
  request.on('error', () => {}).end()
  const [body] = (await once(request, 'response')) as [Readable]
  return { body: body.on('error', () => {}), leave: () => request.destroy() }
}

for (const [how, open] of Object.entries({
  'over HTTP/2': overHttp2,
  'over HTTP/1.1 with TLS': (edge: Site) => overHttp1(edge, true),
  'over plain HTTP/1.1': (edge: Site) => overHttp1(edge, false),
})) {
  test(`downloads stay as they are while other clients leave theirs, ${how}`, async () => {
    await using edge = await startSite()
    let isOver = false
    async function leaveEarly(bytes: number): Promise<void> {
      while (!isOver) {
        const { body, leave } = await open(edge)
        let received = 0
        for await (const chunk of body) {
          received += chunk.length
          if (received > bytes) break
        }
        leave()
      }
    }
    async function download(): Promise<void> {
      for (let count = 0; count < 3; count++) {
        const { body, leave } = await open(edge)
        assert.ok((await buffer(body)).equals(large), 'other bytes than were published')
        leave()
      }
    }
    const leaving = [0, 200_000, 1_500_000].map(leaveEarly)
    try {
      await Promise.all([download(), download()])
    } finally {
      isOver = true
      await Promise.allSettled(leaving)
    }
  })
}
