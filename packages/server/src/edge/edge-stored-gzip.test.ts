import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gunzipSync, gzipSync } from 'node:zlib'
import { startEdge } from './edge.test-kit.ts'

const image = `<svg xmlns="http://www.w3.org/2000/svg">${'<g/>'.repeat(500)}</svg>`
const stored = gzipSync(image)

test('an SVG that is gzip already is sent as such to everyone, whatever other forms its content has', async () => {
  await using edge = await startEdge()
  for (const encoded of [false, true]) {
    await edge.publish('hello', { '/logo.svgz': stored, '/plain.svg': image }, { encoded })
    edge.edge.changed({ slug: 'hello' })
    for (const accepted of ['gzip, deflate, br, zstd', 'gzip', 'br', 'identity', undefined]) {
      const fields: Record<string, string> = accepted === undefined ? {} : { 'accept-encoding': accepted }
      for (const method of ['GET', 'HEAD']) {
        const { status, headers, body } = await edge.ask('/logo.svgz', fields, method)
        assert.equal(status, 200)
        assert.equal(headers['content-type'], 'image/svg+xml')
        assert.equal(headers['content-encoding'], 'gzip', accepted ?? 'nothing')
        assert.equal(headers['content-length'], String(stored.length))
        assert.equal(headers.vary, undefined)
        assert.equal(headers['cache-control'], 'public, max-age=0, must-revalidate')
        if (method === 'GET') assert.equal(gunzipSync(body).toString(), image)
      }
    }
  }
  const { headers } = await edge.ask('/plain.svg', { 'accept-encoding': 'br' })
  assert.equal(headers['content-encoding'], 'br')
})

test('ranges and conditions are about the compressed bytes', async () => {
  await using edge = await startEdge()
  await edge.publish('hello', { '/logo.svgz': stored })
  const { etag = '' } = (await edge.ask('/logo.svgz')).headers
  const size = stored.length
  for (const [fields, status] of [
    [{ 'if-none-match': etag }, 304],
    [{ 'if-none-match': etag, 'accept-encoding': 'gzip' }, 304],
    // As it was before browsers were told that it is gzip.
    [{ 'if-none-match': etag.replace('-gzip', '') }, 200],
    [{ 'if-match': etag }, 200],
    [{ 'if-match': '"other"' }, 412],
    [{ range: 'bytes=1-4' }, 206],
    [{ range: 'bytes=1-4', 'if-range': etag }, 206],
    [{ range: 'bytes=1-4', 'if-range': '"other"' }, 200],
    [{ range: `bytes=${size}-` }, 416],
  ] as const) {
    const { status: given, headers, body } = await edge.ask('/logo.svgz', { ...fields })
    assert.equal(given, status, JSON.stringify(fields))
    if (given !== 206) continue
    assert.equal(headers['content-encoding'], 'gzip')
    assert.equal(headers['content-range'], `bytes 1-4/${size}`)
    assert.deepEqual(body, stored.subarray(1, 5))
  }
})
