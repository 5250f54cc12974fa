import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { newId } from '../../kernel/ids.ts'
import { startEdge } from '../edge.test-kit.ts'

const first = 'first edition '.repeat(100)
const second = 'second edition'.repeat(100)
const publishedAt = Date.parse('2026-11-15T10:20:30.456Z')
const lastModified = 'Sun, 15 Nov 2026 10:20:30 GMT'
const earlier = 'Sun, 15 Nov 2026 10:20:29 GMT'
const later = 'Sun, 15 Nov 2026 10:20:31 GMT'

describe('a published file', () => {
  let edge: Awaited<ReturnType<typeof startEdge>>
  let tag: string

  before(async () => {
    edge = await startEdge()
    const deploymentId = newId('deployment', publishedAt)
    await edge.publish('hello', { '/book.txt': first }, { deploymentId, encoded: true })
    tag = String((await edge.ask('/book.txt')).headers.etag)
  })
  after(() => edge[Symbol.asyncDispose]())

  const ask = (headers: Record<string, string>, method?: string) => edge.ask('/book.txt', headers, method)

  test('has the date of its deployment', async () => {
    const { headers } = await ask({})
    assert.equal(headers['last-modified'], lastModified)
    assert.equal((await ask({ 'if-none-match': tag })).headers['last-modified'], lastModified)
  })

  test('ignores ranges for HEAD', async () => {
    for (const range of ['bytes=0-9', 'bytes=999999-', 'bytes=-1']) {
      const { status, headers, body } = await ask({ range }, 'HEAD')
      assert.deepEqual([status, headers['content-length'], body.length], [200, String(first.length), 0])
      assert.equal(headers['content-range'], undefined)
    }
  })

  test('gets 412 for a precondition on another version', async () => {
    for (const headers of [
      { 'if-match': '"another"' },
      { 'if-match': `W/${tag}` },
      { 'if-match': '"another"', range: 'bytes=5-' },
      { 'if-match': '"another"', 'if-none-match': tag },
      { 'if-match': tag, 'accept-encoding': 'br' },
      { 'if-unmodified-since': earlier },
      { 'if-unmodified-since': earlier, range: 'bytes=5-' },
    ] as Record<string, string>[]) {
      for (const method of ['GET', 'HEAD']) {
        const { status, headers: received, body } = await ask(headers, method)
        assert.deepEqual(
          [status, body.length, received['content-length']],
          [412, 0, '0'],
          JSON.stringify(headers),
        )
      }
    }
  })

  test('is sent for a precondition on this version', async () => {
    for (const headers of [
      { 'if-match': tag },
      { 'if-match': '*' },
      { 'if-match': `"x", ${tag}`, 'if-unmodified-since': earlier },
      { 'if-unmodified-since': lastModified },
      { 'if-unmodified-since': later },
      { 'if-unmodified-since': 'not a date' },
    ] as Record<string, string>[]) {
      assert.equal((await ask(headers)).status, 200, JSON.stringify(headers))
    }
    const part = await ask({ 'if-match': tag, range: 'bytes=6-12' })
    assert.deepEqual([part.status, part.body.toString()], [206, 'edition'])
  })

  test('is never sent in part based on a date', async () => {
    for (const headers of [
      { 'if-unmodified-since': lastModified },
      { 'if-unmodified-since': later },
      { 'if-range': lastModified },
    ] as Record<string, string>[]) {
      const { status, body } = await ask({ ...headers, range: 'bytes=5-' })
      assert.deepEqual([status, body.toString()], [200, first])
    }
  })

  test('is not sent again to a client with the exact date, unless it has another tag', async () => {
    assert.equal((await ask({ 'if-modified-since': lastModified })).status, 304)
    assert.equal((await ask({ 'if-modified-since': lastModified, 'if-none-match': tag })).status, 304)
    assert.equal((await ask({ 'if-modified-since': lastModified, 'if-none-match': '"x"' })).status, 200)
    for (const date of [earlier, later, 'soon']) {
      assert.equal((await ask({ 'if-modified-since': date })).status, 200, date)
    }
  })
})

test('a download resumed after a deployment or rollback is never spliced', async () => {
  await using edge = await startEdge()
  const older = newId('deployment', publishedAt)
  // Within the same second.
  const newer = newId('deployment', publishedAt + 100)
  const publish = (deploymentId: string, content: string) =>
    edge.publish('hello', { '/book.txt': content }, { deploymentId })
  for (const [from, to] of [
    [
      [older, first],
      [newer, second],
    ],
    [
      [newer, second],
      [older, first],
    ],
  ] as const) {
    await publish(...from)
    edge.edge.changed({ slug: 'hello' })
    const begun = await edge.ask('/book.txt')
    const validators = { tag: String(begun.headers.etag), date: String(begun.headers['last-modified']) }
    await publish(...to)
    edge.edge.changed({ slug: 'hello' })
    for (const condition of [
      { 'if-match': validators.tag },
      { 'if-range': validators.tag },
      { 'if-unmodified-since': validators.date },
      { 'if-range': validators.date },
    ] as Record<string, string>[]) {
      const resumed = await edge.ask('/book.txt', { ...condition, range: 'bytes=100-' })
      assert.notEqual(resumed.status, 206, JSON.stringify(condition))
      if (resumed.status === 200) assert.equal(resumed.body.toString(), to[1])
    }
  }
})
