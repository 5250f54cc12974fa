import assert from 'node:assert/strict'
import { test } from 'node:test'
import { singleFlight } from './single-flight.ts'

test('concurrent calls with one key share a run, and the next call after it runs again', async () => {
  const started: string[] = []
  const load = singleFlight(async (key: string) => {
    started.push(key)
    await Promise.resolve()
    return `${key}${started.length}`
  })

  const [first, second, other] = [load('a'), load('a'), load('b')]
  assert.equal(first, second)
  assert.deepEqual(await Promise.all([first, second, other]), ['a2', 'a2', 'b2'])
  assert.equal(await load('a'), 'a3')
  assert.deepEqual(started, ['a', 'b', 'a'])
})

test('a shared run gets the further arguments of the call that started it', async () => {
  const load = singleFlight(async (key: string, size: number) => `${key}${size}`)
  assert.deepEqual(await Promise.all([load('a', 1), load('a', 2), load('b', 3)]), ['a1', 'a1', 'b3'])
})

test('a failed run rejects for all who share it, and is not remembered', async () => {
  let runs = 0
  const load = singleFlight(async (_key: string) => {
    if (++runs === 1) throw new Error('first run fails')
    return runs
  })

  const results = await Promise.allSettled([load('a'), load('a')])
  assert.deepEqual(
    results.map(({ status }) => status),
    ['rejected', 'rejected'],
  )
  assert.equal(await load('a'), 2)
})

test('a call from inside the continuation of a run starts a new one', async () => {
  let runs = 0
  const load = singleFlight(async (_key: string) => ++runs)
  assert.equal(await load('a').then(() => load('a')), 2)
})
