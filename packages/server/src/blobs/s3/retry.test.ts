import assert from 'node:assert/strict'
import { test } from 'node:test'
import { backoff, withRetries } from './retry.ts'
import { S3ConnectionError, S3Error } from './s3-error.ts'

test('waits grow, differ, and stay below two seconds', () => {
  const shortest = Array.from({ length: 10 }, (_, failures) => backoff(failures, () => 0))
  const longest = Array.from({ length: 10 }, (_, failures) => backoff(failures, () => 1))
  assert.deepEqual(shortest.slice(0, 4), [25, 50, 100, 200])
  assert.deepEqual(longest.slice(0, 4), [50, 100, 200, 400])
  assert.equal(longest.at(-1), 2_000)
})

async function attemptsUntil(errors: readonly unknown[], retryMs = 60_000): Promise<number> {
  let attempts = 0
  await withRetries(async () => {
    const error = errors[attempts++]
    if (error !== undefined) throw error
  }, retryMs)
  return attempts
}

test('what may succeed in a moment is tried again, and nothing else', async () => {
  const transient = [
    new S3ConnectionError('cut'),
    new S3Error('GET', 503, 'SlowDown'),
    new S3Error('GET', 429, ''),
    new S3Error('PUT', 400, 'XAmzContentSHA256Mismatch'),
  ]
  assert.equal(await attemptsUntil(transient), 5)
  for (const error of [
    new S3Error('GET', 403, 'AccessDenied'),
    new S3Error('GET', 404, 'NoSuchKey'),
    new S3Error('PUT', 501, 'NotImplemented'),
    new TypeError('a bug'),
    Object.assign(new Error('a local file'), { code: 'ENOENT' }),
  ]) {
    let attempts = 0
    const attempt = () => {
      attempts++
      throw error
    }
    await assert.rejects(
      withRetries(async () => attempt(), 60_000),
      error,
    )
    assert.equal(attempts, 1)
  }
})

test('without time left, the first failure is the last', async () => {
  const error = new S3Error('GET', 503, '')
  await assert.rejects(attemptsUntil([error], 0), error)
})
