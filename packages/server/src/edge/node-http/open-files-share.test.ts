import assert from 'node:assert/strict'
import { once } from 'node:events'
import { buffer } from 'node:stream/consumers'
import { test } from 'node:test'
import { until } from '@masthead/testing/until.ts'
import { defaultContentLimits } from '../assets/content-cache.ts'
import { siteName, startHttps } from '../https.test-kit.ts'

/** Too large for memory. */
const size = defaultContentLimits.bytesPerFile + 1
const maxOpenFiles = 40
const get = `GET /large HTTP/1.1\r\nHost: ${siteName}\r\nConnection: close\r\n\r\n`

/** Another address than all others of these tests. */
const elsewhere = { localAddress: '127.0.0.2', ALPNProtocols: ['http/1.1'] }

async function startSite() {
  const edge = await startHttps({ edge: { maxOpenFiles } })
  let mostOpen = 0
  await edge.publish('hello', { '/large': Buffer.alloc(size, 'x') })
  await edge.certify(siteName)
  const openFiles = () => edge.files.filter(({ closed }) => !closed).length
  const watching = setInterval(() => {
    mostOpen = Math.max(mostOpen, openFiles())
  }, 1).unref()
  const stop = () => {
    clearInterval(watching)
    return edge[Symbol.asyncDispose]()
  }
  return { ...edge, openFiles, mostOpen: () => mostOpen, [Symbol.asyncDispose]: stop }
}

test('a client that reads nothing keeps only its share of files open', async () => {
  await using edge = await startSite()
  for (let n = 0; n < 3; n++) {
    const session = edge.openSession()
    session.settings({ initialWindowSize: 1000 })
    await once(session, 'localSettings')
    for (let stream = 0; stream < 100; stream++) session.request({ ':path': '/large' }).on('error', () => {})
  }
  await until(() => edge.files.length > 0)
  const other = await edge.dial(siteName, elsewhere)
  other.write(get)
  assert.ok((await buffer(other)).length > size)
  await until(() => edge.openFiles() === 0)
  // One caller's share, and the file of the other.
  assert.ok(edge.mostOpen() <= maxOpenFiles / 5 + 1, `${edge.mostOpen()} were open`)
})

test('a client that requests many files at once gets them all, one after the other', async () => {
  await using edge = await startSite()
  const session = edge.openSession()
  const answers = Array.from({ length: 60 }, () => buffer(session.request({ ':path': '/large' })))
  for (const body of await Promise.all(answers)) assert.equal(body.length, size)
  await until(() => edge.openFiles() === 0)
})

test('clients that leave while they wait open no file and delay nobody', async () => {
  await using edge = await startSite()
  const session = edge.openSession()
  session.settings({ initialWindowSize: 1000 })
  await once(session, 'localSettings')
  for (let stream = 0; stream < 100; stream++) session.request({ ':path': '/large' }).on('error', () => {})
  await until(() => edge.files.length > 0)
  session.destroy()
  await until(() => edge.openFiles() === 0)
  const next = await edge.dial(siteName)
  next.write(get)
  assert.ok((await buffer(next)).length > size)
  assert.ok(edge.mostOpen() <= maxOpenFiles / 5, `${edge.mostOpen()} were open`)
})
