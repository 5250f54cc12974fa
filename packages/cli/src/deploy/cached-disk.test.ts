import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CachedDisk } from './cached-disk.ts'

/** Blocks, as a slow disk does. */
function spend(ms: number): void {
  const end = performance.now() + ms
  while (performance.now() < end);
}

/** The ways in which 200 questions are answered. */
async function ask(disk: CachedDisk, ms: number): Promise<Record<'now' | 'later', number>> {
  const ways = { now: 0, later: 0 }
  for (let n = 0; n < 200; n++) {
    const way = await disk.ask<'now' | 'later'>(
      () => {
        spend(ms)
        return 'now'
      },
      () => new Promise((resolve) => setImmediate(resolve, 'later')),
    )
    ways[way]++
  }
  return ways
}

test('questions that take long go through threads, with a look now and then whether the disk is faster', async () => {
  const { now, later } = await ask(new CachedDisk(), 1)
  assert.equal(now + later, 200)
  assert.ok(now > 0 && now < 10, `${now} of 200 blocked`)
})

test('one slow answer alone does not lead to threads', async () => {
  const disk = new CachedDisk()
  for (const ms of [1, 0]) {
    const answer = disk.ask<string>(
      () => {
        spend(ms)
        return 'now'
      },
      async () => 'later',
    )
    assert.equal(answer, 'now')
  }
})

test('a timer fires between many quick questions', async () => {
  let fired = false
  setTimeout(() => {
    fired = true
  }, 1)
  const disk = new CachedDisk()
  while (!fired) await ask(disk, 0)
})

test('errors are thrown, whichever way is taken', async () => {
  const disk = new CachedDisk()
  const failed = new Error('EACCES')
  const now = () => {
    throw failed
  }
  await assert.rejects(async () => disk.ask(now, async () => {}), failed)
  for (let slow = 0; slow < 2; slow++) {
    await disk.ask(
      () => spend(1),
      async () => {},
    )
  }
  const later = () => Promise.reject(failed)
  await assert.rejects(async () => disk.ask(() => {}, later), failed)
})
