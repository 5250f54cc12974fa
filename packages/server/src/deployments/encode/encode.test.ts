import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib'
import { encodings, isEncodableSize } from '../manifest.ts'
import { encode } from './encode.ts'

const decode = { br: brotliDecompressSync, zstd: zstdDecompressSync, gzip: gunzipSync }
const text = (bytes: number) => Buffer.from('The quick brown fox jumps. '.repeat(bytes)).subarray(0, bytes)

for (const encoding of encodings) {
  test(`${encoding} decompresses to the original, and is smaller`, async () => {
    for (const size of [256, 5_000, 1_500_000]) {
      const encoded = await encode(text(size), encoding)
      assert.ok(encoded && encoded.byteLength < size)
      assert.ok(text(size).equals(decode[encoding](encoded)))
    }
  })

  test(`${encoding} is not kept if it saves nothing`, async () => {
    assert.equal(await encode(randomBytes(5_000), encoding), null)
  })
}

test('the smallest and the largest files are not compressed', () => {
  const largest = 16 * 1024 ** 2
  assert.deepEqual([255, 256, largest, largest + 1].map(isEncodableSize), [false, true, true, false])
})

test('less than 5 % is not worth a second file', async () => {
  const mostlyNoise = Buffer.concat([randomBytes(9_700), Buffer.alloc(300)])
  const noisy = Buffer.concat([randomBytes(9_000), Buffer.alloc(1_000)])
  assert.equal(await encode(mostlyNoise, 'gzip'), null)
  assert.notEqual(await encode(noisy, 'gzip'), null)
})

test('the window of a zstd frame fits what browsers accept', async () => {
  const encoded = await encode(text(1_500_000), 'zstd')
  // RFC 8878, section 3.1.1.1: a single-segment frame has no window of its own beyond its content.
  assert.ok(
    encoded && (encoded.readUInt8(4) & 0x20 || 1 << (10 + (encoded.readUInt8(5) >> 3)) <= 8 * 1024 ** 2),
  )
})
