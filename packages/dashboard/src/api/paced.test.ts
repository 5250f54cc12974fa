import assert from 'node:assert/strict'
import { test } from 'node:test'
import { until } from '@masthead/testing/until.ts'
import { paced } from './paced.ts'

test('calls during a run lead to one more run, also after a failure', async () => {
  const runs: PromiseWithResolvers<void>[] = []
  const call = paced(() => {
    const running = Promise.withResolvers<void>()
    runs.push(running)
    return running.promise
  })
  call()
  call()
  call()
  assert.equal(runs.length, 1)
  runs[0]?.reject(new Error('lost'))
  await until(() => runs.length === 2)
  runs[1]?.resolve()
  call()
  await until(() => runs.length === 3)
  runs[2]?.resolve()
})
