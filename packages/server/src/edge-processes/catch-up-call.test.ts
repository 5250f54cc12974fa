import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { createCatchUpCall } from './catch-up-call.ts'

function caller(timeoutMs: number) {
  const seen = { sent: 0, late: 0 }
  const call = createCatchUpCall({
    send: () => {
      seen.sent++
    },
    timeoutMs,
    onLate: () => {
      seen.late++
    },
  })
  return { call, seen }
}

const forEver = 2 ** 30

/** Whether a promise has already resolved. */
async function isDone(promise: Promise<void>): Promise<boolean> {
  let done = false
  promise.then(() => {
    done = true
  })
  await turn()
  return done
}

test('a request resolves with the answer', async () => {
  const { call, seen } = caller(forEver)
  call.answered()
  const asked = call.request()
  assert.equal(await isDone(asked), false)
  assert.equal(seen.sent, 1)
  call.answered()
  assert.equal(await isDone(asked), true)
})

test('requests during a call share the next one', async () => {
  const { call, seen } = caller(forEver)
  call.answered()
  const first = call.request()
  await turn()
  const others = Array.from({ length: 1000 }, () => call.request())
  call.answered()
  assert.equal(await isDone(first), true)
  assert.equal(await isDone(Promise.race(others)), false)
  assert.equal(seen.sent, 2)
  call.answered()
  await Promise.all(others)
  assert.equal(seen.sent, 2)
})

test('a late process is reported once and not waited for until it answers', async () => {
  const { call, seen } = caller(1)
  call.answered()
  for (let change = 0; change < 100; change++) await call.request()
  assert.deepEqual(seen, { sent: 1, late: 1 })
  call.answered()
  assert.equal(seen.sent, 2, 'what changed meanwhile is asked for')
  call.answered()
  assert.equal(seen.sent, 2)
})

test('nobody waits for a process that has not started; it is called when it does', async () => {
  const { call, seen } = caller(forEver)
  await call.request()
  assert.equal(seen.sent, 0)
  call.answered()
  assert.equal(seen.sent, 1)
  call.close()
})

test('closing resolves open requests', async () => {
  const { call } = caller(forEver)
  call.answered()
  const asked = call.request()
  await turn()
  call.close()
  await asked
  await call.request()
})
