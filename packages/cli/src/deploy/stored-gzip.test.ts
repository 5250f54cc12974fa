import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import { storedGzip } from './stored-gzip.ts'

test('what is stored unpacks to the same, also at the edges of blocks', () => {
  for (const size of [0, 1, 65_534, 65_535, 65_536, 131_070, 131_071, 4 * 1024 ** 2]) {
    const content = randomBytes(size)
    assert.ok(gunzipSync(storedGzip(content)).equals(content), `${size} bytes`)
  }
})

test('other programs accept it', () => {
  const content = randomBytes(200_000)
  const unpacked = execFileSync('gzip', ['-dc'], { input: storedGzip(content) })
  assert.ok(unpacked.equals(content))
})
