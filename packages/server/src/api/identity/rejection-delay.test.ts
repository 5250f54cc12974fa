import assert from 'node:assert/strict'
import { test } from 'node:test'
import { second } from '../../kernel/clock.ts'
import { RejectionDelay, type RejectionDelayOptions } from './rejection-delay.ts'

const start = 60 * second
const direct = { isForwarded: false }
const forwarded = { isForwarded: true }

/** A delay whose clock the test moves, and what became of each rejection. */
function startDelay(options: Partial<RejectionDelayOptions> = {}) {
  let now = start
  let sleeping: { until: number; wake: () => void }[] = []
  const delay = new RejectionDelay(options, {
    now: () => now,
    sleep: (ms) => new Promise<void>((wake) => void sleeping.push({ until: now + ms, wake })),
  })
  const sent: { caller: string; at: number }[] = []
  let dropped = 0
  return {
    sent,
    get waiting() {
      return sleeping.length
    },
    get dropped() {
      return dropped
    },
    reject(caller: string, how = direct) {
      void delay.wait(caller, how).then((isDue) => {
        if (isDue) sent.push({ caller, at: now - start })
        else dropped++
      })
    },
    async advance(ms: number) {
      now += ms
      const due = sleeping.filter(({ until }) => until <= now)
      sleeping = sleeping.filter(({ until }) => until > now)
      for (const { wake } of due) wake()
      await new Promise(setImmediate)
    },
  }
}

test('rejections of one caller are sent one after another, and nobody else waits for them', async () => {
  const delay = startDelay({ perSecond: 4 })
  for (const caller of ['a', 'a', 'a', 'a', 'b']) delay.reject(caller)
  for (let elapsed = 0; elapsed < 2 * second; elapsed += 50) await delay.advance(50)
  assert.deepEqual(delay.sent, [
    { caller: 'a', at: 200 },
    { caller: 'b', at: 200 },
    { caller: 'a', at: 450 },
    { caller: 'a', at: 700 },
    { caller: 'a', at: 950 },
  ])
})

test('however many rejections a caller causes, it gets as many per second as it may, and few wait', async () => {
  const delay = startDelay()
  let mostWaiting = 0
  for (let elapsed = 0; elapsed < 20 * second; elapsed += 10) {
    for (let count = 0; count < 20; count++) delay.reject('a')
    await delay.advance(10)
    mostWaiting = Math.max(mostWaiting, delay.waiting)
  }
  for (let since = second; since + second <= 20 * second; since += second) {
    const inSecond = delay.sent.filter(({ at }) => at >= since && at < since + second)
    assert.equal(inSecond.length, 20, `from ${since} ms on`)
  }
  assert.ok(mostWaiting <= 100, `${mostWaiting} were waiting`)
  assert.equal(delay.sent.length + delay.dropped + delay.waiting, 40_000)
})

test('many callers together have a bounded number of rejections waiting, and one more still gets an answer', async () => {
  const delay = startDelay({ maxWaiting: 100 })
  for (let caller = 0; caller < 10; caller++) {
    for (let count = 0; count < 100; count++) delay.reject(`caller ${caller}`)
  }
  assert.ok(delay.waiting < 100, `${delay.waiting} were waiting`)
  delay.reject('one more')
  await delay.advance(200)
  assert.ok(delay.sent.some(({ caller }) => caller === 'one more'))
})

test('what a proxy forwards is answered, however many rejections are waiting', async () => {
  const delay = startDelay({ maxWaiting: 400 })
  for (let count = 0; count < 1_000; count++) delay.reject('a', forwarded)
  assert.ok(delay.waiting <= 100, `${delay.waiting} were waiting`)
  for (let elapsed = 0; elapsed <= 5 * second; elapsed += 50) await delay.advance(50)
  assert.equal(delay.sent.length, 1_000)
  assert.equal(delay.dropped, 0)
})
