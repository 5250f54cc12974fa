import assert from 'node:assert/strict'
import { test } from 'node:test'
import { RejectionDelay } from './rejection-delay.ts'

/** Callers in the order of their rejections. */
async function orderOf(delay: RejectionDelay, callers: string[]): Promise<string[]> {
  const sent: string[] = []
  const counts = new Map<string, number>()
  await Promise.all(
    callers.map(async (caller) => {
      const nth = (counts.get(caller) ?? 0) + 1
      counts.set(caller, nth)
      await delay.wait(caller)
      sent.push(`${caller}${nth}`)
    }),
  )
  return sent
}

test('rejections of one caller are sent one after another, and nobody else waits for them', async () => {
  const delay = new RejectionDelay({ perSecond: 4, maxWait: 5_000 })
  const sent = await orderOf(delay, ['a', 'a', 'a', 'a', 'b'])
  assert.deepEqual(
    sent.filter((name) => name.startsWith('a')),
    ['a1', 'a2', 'a3', 'a4'],
  )
  assert.ok(sent.indexOf('b1') < sent.indexOf('a3'), sent.join(' '))
})

test('however many rejections are waiting, none waits longer than the maximum', async () => {
  const delay = new RejectionDelay({ perSecond: 1, maxWait: 300 })
  const all = await orderOf(
    delay,
    Array.from({ length: 1_000 }, () => 'a'),
  )
  assert.equal(all.length, 1_000)
})
