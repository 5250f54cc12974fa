import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createSemaphore } from './semaphore.ts'

test('further callers wait, first come first served', async () => {
  const semaphore = createSemaphore(1)
  const release = await semaphore.acquire(1000)
  const order: string[] = []
  const enter = async (name: string) => {
    const releaseAgain = await semaphore.acquire(10_000)
    order.push(name)
    releaseAgain()
  }
  const waiting = [enter('first'), enter('second')]
  await new Promise(setImmediate)
  assert.deepEqual(order, [])
  release()
  await Promise.all(waiting)
  assert.deepEqual(order, ['first', 'second'])
})

test('a caller that is aborted stops waiting, and the next one is let in', async () => {
  const semaphore = createSemaphore(1)
  const release = await semaphore.acquire(1000)
  const off = new AbortController()
  const waiting = semaphore.acquire(10_000, off.signal)
  const next = semaphore.acquire(10_000)
  off.abort(new Error('enough'))
  release()
  await assert.rejects(waiting, { message: 'enough' })
  await next
  await assert.rejects(semaphore.acquire(10_000, off.signal), { message: 'enough' })
})

test('a caller that has waited too long gives up, and the next one is let in', async () => {
  const semaphore = createSemaphore(1)
  const release = await semaphore.acquire(1000)
  await assert.rejects(semaphore.acquire(5), { name: 'TimeoutError' })
  const next = semaphore.acquire(10_000)
  release()
  await next
})
