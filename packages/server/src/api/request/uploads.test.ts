import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { Problem } from '../../kernel/problem.ts'
import { UploadLimiter } from './uploads.ts'

test('an account that uses its full share is refused with Retry-After, and others are not', async () => {
  const uploads = new UploadLimiter(1_000, 20)
  const { promise, resolve } = Promise.withResolvers<void>()
  const running: Promise<void>[] = []
  let refused: unknown
  while (refused === undefined && running.length < 20) {
    const upload = uploads.run('acc_greedy', () => promise)
    const settled = await Promise.race([upload.catch((error: unknown) => error), setImmediate()])
    if (settled === undefined) running.push(upload)
    else refused = settled
  }
  assert.ok(refused instanceof Problem)
  assert.deepEqual([refused.code, refused.headers['Retry-After']], ['too_many_uploads', '2'])
  assert.ok(running.length < 10)
  assert.equal(await uploads.run('acc_other', async () => 'published'), 'published')
  resolve()
  await Promise.all(running)
  assert.equal(await uploads.run('acc_greedy', async () => 'published'), 'published')
  await assert.rejects(
    uploads.run('acc_greedy', () => Promise.reject(new Error('broken off'))),
    /broken off/,
  )
  assert.equal(await uploads.run('acc_greedy', async () => 'again'), 'again')
})
