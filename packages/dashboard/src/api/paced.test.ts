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

/** Time that passes only while something waits. */
function fakeTime() {
  let time = 0
  const pauses: number[] = []
  return {
    pauses,
    pass: (milliseconds: number) => {
      time += milliseconds
    },
    timing: {
      now: () => time,
      async wait(milliseconds: number) {
        pauses.push(milliseconds)
        time += milliseconds
      },
    },
  }
}

test('calls that keep coming lead to fewer and fewer runs', async () => {
  const { pauses, timing } = fakeTime()
  let runs = 0
  const call = paced(async () => {
    if (++runs < 20) call()
  }, timing)
  call()
  await until(() => pauses.length === 20)
  const growing = Array.from({ length: 15 }, (_, seconds) => seconds * 1_000)
  assert.deepEqual(pauses, [...growing, ...Array(5).fill(15_000)])
})

test('a call that comes alone runs at once, and a quiet minute ends the pauses', async () => {
  const { pauses, pass, timing } = fakeTime()
  let runs = 0
  const call = paced(async () => {
    if (++runs < 4) call()
  }, timing)
  call()
  await until(() => pauses.length === 4)
  assert.deepEqual(pauses, [0, 1_000, 2_000, 3_000])
  pass(60_000)
  call()
  assert.equal(runs, 5)
  await until(() => pauses.length === 5)
  assert.equal(pauses.at(-1), 0)
})
