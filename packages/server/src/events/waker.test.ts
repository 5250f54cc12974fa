import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createWaker } from './waker.ts'

const never = 2 ** 30

test('wake ends a sleep', async () => {
  const waker = createWaker()
  const slept = waker.sleep(never)
  waker.wake()
  await slept
})

test('waking while nothing sleeps ends the next sleep, and only that one', async () => {
  const waker = createWaker()
  waker.wake()
  waker.wake()
  await waker.sleep(never)
  let woke = false
  const slept = waker.sleep(never).then(() => {
    woke = true
  })
  await Promise.resolve()
  assert.equal(woke, false)
  waker.wake()
  await slept
})

test('a sleep ends when its time is up', async () => {
  const keepAlive = setInterval(() => {}, 1_000)
  const waker = createWaker()
  await waker.sleep(1)
  await waker.sleep(0)
  clearInterval(keepAlive)
})
