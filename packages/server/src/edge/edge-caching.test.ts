import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startEdge } from './edge.test-kit.ts'

const year = 'public, max-age=31536000, immutable'
const hashed = '/assets/app-DkW3x9Qa.js'
const cachedForAYear = `
/assets/*
  Cache-Control: ${year}
  CDN-Cache-Control: max-age=31536000
  Access-Control-Allow-Origin: *
`

test('a refusal of one request is not kept for others, whatever the rules for the file', async () => {
  await using edge = await startEdge()
  const files = { '/index.html': 'front', [hashed]: 'app' }
  await edge.publish('hello', files, { encoded: true })
  await edge.publish('ruled', { ...files, '/_headers': cachedForAYear }, { encoded: true })
  for (const label of ['hello', 'ruled']) {
    const host = `${label}.masthead.localhost`
    assert.equal((await edge.ask(hashed, { host })).headers['cache-control'], year)
    for (const [status, fields] of [
      [412, { 'if-match': '"another"' }],
      [416, { range: 'bytes=999-' }],
    ] as const) {
      const { headers, ...answer } = await edge.ask(hashed, { host, ...fields })
      assert.deepEqual([answer.status, headers['cache-control']], [status, 'no-store'], label)
      assert.equal(headers['cdn-cache-control'], undefined)
      assert.equal(headers['access-control-allow-origin'], label === 'ruled' ? '*' : undefined)
    }
  }
})
