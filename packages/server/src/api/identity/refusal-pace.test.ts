import assert from 'node:assert/strict'
import { test } from 'node:test'
import { RefusalPace } from './refusal-pace.ts'

/** Callers in the order of their rejections. */
async function orderOf(pace: RefusalPace, callers: string[]): Promise<string[]> {
  const told: string[] = []
  const counts = new Map<string, number>()
  await Promise.all(
    callers.map(async (caller) => {
      const nth = (counts.get(caller) ?? 0) + 1
      counts.set(caller, nth)
      await pace.wait(caller)
      told.push(`${caller}${nth}`)
    }),
  )
  return told
}

test('rejections of one caller are sent one after another, and nobody else waits for them', async () => {
  const pace = new RefusalPace({ perSecond: 4, maxWait: 5_000 })
  const told = await orderOf(pace, ['a', 'a', 'a', 'a', 'b'])
  assert.deepEqual(
    told.filter((name) => name.startsWith('a')),
    ['a1', 'a2', 'a3', 'a4'],
  )
  assert.ok(told.indexOf('b1') < told.indexOf('a3'), told.join(' '))
})

test('however many rejections are waiting, none waits longer than the maximum', async () => {
  const pace = new RefusalPace({ perSecond: 1, maxWait: 300 })
  const all = await orderOf(
    pace,
    Array.from({ length: 1_000 }, () => 'a'),
  )
  assert.equal(all.length, 1_000)
})
