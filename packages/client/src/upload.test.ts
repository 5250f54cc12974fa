import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { forEachConcurrent, packTar, uploadBatches } from './upload.ts'

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

const { signal } = new AbortController()
const items = Array.from({ length: 20 }, (_, i) => i)

test('every item is worked on once, never more than the limit at a time', async () => {
  const done: number[] = []
  let running = 0
  let most = 0
  await forEachConcurrent(items, 4, signal, async (item) => {
    most = Math.max(most, ++running)
    await setImmediate()
    running--
    done.push(item)
  })
  assert.deepEqual(
    done.sort((a, b) => a - b),
    items,
  )
  assert.equal(most, 4)
})

test('the first failure stops the rest and is the one thrown', async () => {
  const begun: number[] = []
  const failing = forEachConcurrent(items, 2, signal, async (item, stop) => {
    begun.push(item)
    await setImmediate()
    if (item === 3) throw new Error('third')
    stop.throwIfAborted()
  })
  await assert.rejects(failing, { message: 'third' })
  assert.ok(begun.length < 8, `${begun.length} begun`)
})

test('an aborted signal ends the work with its reason', async () => {
  const stop = new AbortController()
  const reason = new Error('enough')
  await assert.rejects(
    forEachConcurrent(items, 2, stop.signal, async () => stop.abort(reason)),
    reason,
  )
})

test('the system tar lists and unpacks what was packed', () => {
  const files = [
    { name: 'a'.repeat(64), content: new TextEncoder().encode('first') },
    { name: 'empty', content: new Uint8Array(0) },
    { name: 'block', content: new Uint8Array(512).fill(120) },
  ]
  const input = packTar(files)
  const listed = execFileSync('tar', ['-tf', '-'], { input, encoding: 'utf8' }).trim().split('\n')
  assert.deepEqual(
    listed,
    files.map(({ name }) => name),
  )
  for (const { name, content } of files) {
    assert.deepEqual(execFileSync('tar', ['-xOf', '-', name], { input }), Buffer.from(content))
  }
})

test('a name that does not fit is refused, not cut', () => {
  assert.throws(() => packTar([{ name: 'x'.repeat(101), content: new Uint8Array(1) }]), RangeError)
})
