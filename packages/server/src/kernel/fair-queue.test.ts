import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { FairQueue, FairSemaphore, QueueFullError } from './fair-queue.ts'

function acquireAll(semaphore: FairSemaphore, caller: string | null): number {
  let taken = 0
  while (semaphore.tryAcquire(caller)) taken++
  return taken
}

test('a caller alone gets a fifth of everything, and the next one a fifth of the rest', () => {
  const semaphore = new FairSemaphore(1000)
  assert.equal(acquireAll(semaphore, 'a'), 200)
  assert.equal(acquireAll(semaphore, 'b'), 160)
  assert.equal(semaphore.taken, 360)
  for (let n = 0; n < 100; n++) semaphore.release('a')
  assert.equal(acquireAll(semaphore, 'b'), 20)
})

test('two dozen greedy callers leave room for the next one', () => {
  const semaphore = new FairSemaphore(1000)
  for (let round = 0; round < 3; round++) {
    for (let n = 0; n < 24; n++) acquireAll(semaphore, `greedy ${n}`)
  }
  assert.equal(semaphore.tryAcquire('the next'), true)
})

test('a proxy may use everything that is free, and nothing more', () => {
  const semaphore = new FairSemaphore(10)
  assert.equal(acquireAll(semaphore, null), 10)
  assert.equal(semaphore.tryAcquire('a'), false)
  semaphore.release(null)
  assert.equal(semaphore.tryAcquire('a'), true)
})

test('what was released can be acquired again', () => {
  const semaphore = new FairSemaphore(4)
  for (let n = 0; n < 5; n++) {
    assert.equal(semaphore.tryAcquire('a'), true)
    assert.equal(semaphore.tryAcquire('a'), false)
    semaphore.release('a')
  }
  assert.equal(semaphore.taken, 0)
})

test('a fixed limit per caller holds, however much is free', () => {
  const semaphore = new FairSemaphore(1000, 3)
  assert.equal(acquireAll(semaphore, 'a'), 3)
  assert.equal(semaphore.heldBy('a'), 3)
  semaphore.release('a')
  assert.equal(semaphore.heldBy('a'), 2)
  assert.equal(acquireAll(semaphore, 'a'), 1)
})

/** Work that ends when the test calls `endOne`. `begun` lists the callers whose work began, in order. */
function openQueue(size: number, maxWaiting?: number) {
  const queue = new FairQueue({ size, ...(maxWaiting !== undefined && { maxWaiting }) })
  const begun: string[] = []
  const ends: (() => void)[] = []
  const ask = (caller: string) =>
    queue.run(caller, () => {
      begun.push(caller)
      return new Promise<void>((resolve) => ends.push(resolve))
    })
  const endOne = async () => {
    ends.shift()?.()
    await setImmediate()
  }
  return { ask, begun, endOne }
}

test('everything a single caller asks for is run in the end', async () => {
  const { ask, begun, endOne } = openQueue(20)
  const asked = Array.from({ length: 100 }, () => ask('a'))
  assert.ok(begun.length < 20, `${begun.length} at once`)
  for (let n = 0; n < 100; n++) await endOne()
  await Promise.all(asked)
  assert.equal(begun.length, 100)
})

test('a caller with one job does not wait for all the jobs of others', async () => {
  const { ask, begun, endOne } = openQueue(4)
  const greedy = ['a', 'b', 'c', 'd']
  for (const caller of greedy) for (let n = 0; n < 50; n++) void ask(caller)
  void ask('modest')
  for (let n = 0; n < 10 && !begun.includes('modest'); n++) await endOne()
  assert.ok(begun.includes('modest'))
})

test('failed work makes room for the next', async () => {
  const queue = new FairQueue({ size: 4 })
  const failing = () => Promise.reject(new Error('failed'))
  const all = await Promise.allSettled(Array.from({ length: 20 }, () => queue.run('a', failing)))
  assert.ok(all.every(({ status }) => status === 'rejected'))
  assert.equal(await queue.run('a', async () => 'done'), 'done')
})

test('a full queue rejects, and accepts again once some work has run', async () => {
  const { ask, endOne } = openQueue(4, 10)
  const asked = [ask('a'), ask('a'), ask('a')]
  await assert.rejects(ask('a'), QueueFullError)
  await endOne()
  asked.push(ask('a'))
  for (let n = 0; n < 4; n++) await endOne()
  await Promise.all(asked)
})

test('a caller fills only its share of the queue', async () => {
  const { ask, begun, endOne } = openQueue(4, 2000)
  const asked = Array.from({ length: 2500 }, () => ask('greedy').catch((error: unknown) => error))
  void ask('modest')
  void ask('modest')
  for (let n = 0; n < 10; n++) await endOne()
  assert.equal(begun.filter((caller) => caller === 'modest').length, 2)
  const refused = (await Promise.all(asked.slice(-2000))).filter((error) => error instanceof QueueFullError)
  assert.equal(refused.length, 2000)
})
