import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startEdge } from './edge.test-kit.ts'

test('a long row of accents in an address is a missing page, and is not sorted', async (context) => {
  await using edge = await startEdge()
  await edge.publish('hello', { '/index.html': 'front', '/404.html': 'missing' }, { singlePage: true })
  const sorted: number[] = []
  const { normalize } = String.prototype
  context.mock.method(String.prototype, 'normalize', function (this: string, form: string) {
    sorted.push(this.length)
    return normalize.call(this, form)
  })
  const host = 'Host: hello.masthead.localhost\r\nSec-Fetch-Mode: navigate\r\nConnection: close'
  for (const row of ['\xcc\x80'.repeat(3_500) + '\xcc\xa3'.repeat(3_500), '%cc%80%CC%A3'.repeat(1_000)]) {
    const answer = await edge.exchange(`GET /view/a${row} HTTP/1.1\r\n${host}\r\n\r\n`)
    assert.match(answer, /^HTTP\/1\.1 404 .*\r\n\r\nmissing$/s)
  }
  assert.deepEqual(
    sorted.filter((length) => length > 1_000),
    [],
  )
  const answer = await edge.exchange(`GET /view/cafe\xcc\x81%CC%A3 HTTP/1.1\r\n${host}\r\n\r\n`)
  assert.match(answer, /^HTTP\/1\.1 200 .*\r\n\r\nfront$/s)
})
