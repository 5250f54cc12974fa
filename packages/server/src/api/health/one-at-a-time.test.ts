import assert from 'node:assert/strict'
import { test } from 'node:test'
import { oneAtATime } from './one-at-a-time.ts'

test('while it runs, whoever asks waits for the same run; afterwards it runs anew', async () => {
  const runs: PromiseWithResolvers<string>[] = []
  const ask = oneAtATime(() => {
    const run = Promise.withResolvers<string>()
    runs.push(run)
    return run.promise
  })
  const both = [ask(), ask()]
  assert.equal(runs.length, 1)
  runs[0]?.resolve('first')
  assert.deepEqual(await Promise.all(both), ['first', 'first'])
  const third = ask()
  assert.equal(runs.length, 2)
  runs[1]?.reject(new Error('second'))
  await assert.rejects(third, /second/)
  ask()
  assert.equal(runs.length, 3)
})
