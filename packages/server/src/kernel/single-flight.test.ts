import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AbortableSingleFlight, pausingSingleFlight, singleFlight } from './single-flight.ts'

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

/** Work that ends only when its signal is aborted. */
function endless(signal: AbortSignal): Promise<string> {
  const { promise, reject } = Promise.withResolvers<string>()
  signal.addEventListener('abort', () => reject(signal.reason))
  return promise
}

test('a run goes on while one of its callers waits, and is aborted when the last one gives up', async () => {
  const flights = new AbortableSingleFlight<string, string>()
  const [one, two] = [new AbortController(), new AbortController()]
  let runSignal: AbortSignal | undefined
  const work = (signal: AbortSignal) => {
    runSignal = signal
    return endless(signal)
  }
  const first = flights.run('a', work, one.signal)
  const second = flights.run('a', work, two.signal)
  one.abort(new Error('first'))
  await assert.rejects(first, { message: 'first' })
  assert.deepEqual([runSignal?.aborted, flights.canJoin('a')], [false, true])

  two.abort(new Error('second'))
  await assert.rejects(second, { message: 'second' })
  assert.deepEqual([runSignal?.aborted, flights.canJoin('a')], [true, false])
  await assert.rejects(
    flights.run('a', () => Promise.resolve('unused'), two.signal),
    { message: 'second' },
  )
})

test('a call after an aborted run starts a new one, which the end of the old one does not remove', async () => {
  const flights = new AbortableSingleFlight<string, string>()
  const off = new AbortController()
  const oldRun = Promise.withResolvers<string>()
  const given = flights.run('a', () => oldRun.promise, off.signal)
  off.abort(new Error('enough'))
  await assert.rejects(given, { message: 'enough' })

  const newRun = Promise.withResolvers<string>()
  const joined = [flights.run('a', () => newRun.promise), flights.run('a', () => Promise.resolve('unused'))]
  oldRun.resolve('old')
  await new Promise(setImmediate)
  assert.equal(flights.canJoin('a'), true)
  newRun.resolve('new')
  assert.deepEqual(await Promise.all(joined), ['new', 'new'])
  assert.equal(flights.canJoin('a'), false)
})

test('calls during the pause share one run that starts after it, whatever the outcome of the last', async () => {
  const runs: string[] = []
  const started = Promise.withResolvers<void>()
  const run = pausingSingleFlight(async (key: string) => {
    runs.push(key)
    if (runs.length === 3) started.resolve()
    if (runs.length === 1) throw new Error('failed')
    return runs.length
  }, 20)
  await assert.rejects(run('a'), { message: 'failed' })
  const waiting = [run('a'), run('a'), run('a')]
  assert.equal(await run('b'), 2)
  assert.deepEqual(runs, ['a', 'b'])
  await started.promise
  assert.deepEqual(await Promise.all(waiting), [3, 3, 3])
})
