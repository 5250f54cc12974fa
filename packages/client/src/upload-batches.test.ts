import assert from 'node:assert/strict'
import { test } from 'node:test'
import { uploadBatches } from './upload-batches.ts'

function sized(...sizes: number[]) {
  return sizes.map((size, index) => ({ path: `/${index}`, size }))
}

test('small files travel together up to 4 MiB or a thousand, large ones alone, and none is left out', () => {
  const small = 200 * 1024
  assert.deepEqual(
    uploadBatches(sized(small, 300 * 1024, small)).map((together) => together.map(({ path }) => path)),
    [['/1'], ['/0', '/2']],
  )
  assert.deepEqual(
    uploadBatches(sized(...Array(50).fill(small))).map((together) => together.length),
    [20, 20, 10],
  )
  assert.deepEqual(
    uploadBatches(sized(...Array(2_001).fill(0))).map((together) => together.length),
    [1_000, 1_000, 1],
  )
  assert.deepEqual(uploadBatches([]), [])
})
