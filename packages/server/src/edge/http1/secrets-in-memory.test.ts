import assert from 'node:assert/strict'
import { once } from 'node:events'
import { test } from 'node:test'
import { Worker } from 'node:worker_threads'

test('what clients repeat stays in memory, what may be a secret does not', async () => {
  // In a thread of its own, because its memory is small.
  const worker = new Worker(new URL('./secrets-in-memory.test-kit.ts', import.meta.url))
  const [kept] = await once(worker, 'message')
  assert.deepEqual(kept, ['path', 'language'])
  await worker.terminate()
})
