import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { Shutdown, type StopTimes } from './process-lifetime.ts'

const times = { drainMs: 10_000, graceMs: 600_000 }

function begin() {
  const exits: number[] = []
  const stops: StopTimes[] = []
  const stopped = Promise.withResolvers<void>()
  const shutdown = new Shutdown((code) => void exits.push(code))
  const stop = (times: StopTimes) => {
    stops.push(times)
    return stopped.promise
  }
  return { shutdown, exits, stops, stop, stopped }
}

test('a serving process stops once, however often it is asked, and exits when done', async () => {
  const { shutdown, exits, stops, stop, stopped } = begin()
  shutdown.mayServe(times)
  shutdown.hasStarted(stop)
  for (let times = 0; times < 4; times++) {
    shutdown.request()
    await setImmediate()
  }
  assert.deepEqual([stops, exits], [[times], []])
  stopped.resolve()
  await setImmediate()
  assert.deepEqual([stops, exits], [[times], [0]])
})

test('a process that does not serve yet just exits', () => {
  const { shutdown, exits } = begin()
  shutdown.request()
  shutdown.request()
  assert.deepEqual(exits, [0])
})

test('a process that is asked to stop while opening its ports stops as soon as they are open', async () => {
  const { shutdown, exits, stops, stop, stopped } = begin()
  shutdown.mayServe(times)
  shutdown.request()
  await setImmediate()
  assert.deepEqual(exits, [])
  shutdown.hasStarted(stop)
  stopped.resolve()
  await setImmediate()
  assert.deepEqual([stops, exits], [[times], [0]])
})

test('a failed start exits with an error, unless the process was asked to stop', () => {
  const failing = begin()
  failing.shutdown.hasNotStarted()
  assert.deepEqual(failing.exits, [1])
  const asked = begin()
  asked.shutdown.mayServe(times)
  asked.shutdown.request()
  asked.shutdown.hasNotStarted()
  assert.deepEqual(asked.exits, [0])
})

test('a failed stop shows in the exit code', async () => {
  const { shutdown, exits, stop, stopped } = begin()
  shutdown.mayServe(times)
  shutdown.hasStarted(stop)
  shutdown.request()
  stopped.reject(new Error('the database is away'))
  await setImmediate()
  assert.deepEqual(exits, [1])
})

test('a stop that takes longer than the grace period is ended', async () => {
  const { shutdown, exits, stop } = begin()
  shutdown.mayServe({ drainMs: 0, graceMs: 0 })
  shutdown.hasStarted(stop)
  shutdown.request()
  while (exits.length === 0) await new Promise((resolve) => setTimeout(resolve, 50))
  assert.deepEqual(exits, [1])
})

test('a process that is asked to stop leaves its load balancer, one that is replaced stays and stops at once', async () => {
  const asked = begin()
  asked.shutdown.mayServe(times)
  asked.shutdown.hasStarted(asked.stop)
  assert.equal(asked.shutdown.isLeaving, false)
  asked.shutdown.request()
  assert.equal(asked.shutdown.isLeaving, true)

  const { shutdown, stops, stop } = begin()
  shutdown.mayServe(times)
  shutdown.hasStarted(stop)
  shutdown.replaced()
  await setImmediate()
  assert.deepEqual([shutdown.isLeaving, stops], [false, [{ drainMs: 0, graceMs: 600_000, idleMs: 5_000 }]])
})

test('a process that was replaced ends in time once it is asked to stop', async () => {
  const { shutdown, exits, stop } = begin()
  shutdown.mayServe({ drainMs: 0, graceMs: 0 })
  shutdown.hasStarted(stop)
  shutdown.replaced()
  shutdown.request()
  while (exits.length === 0) await new Promise((resolve) => setTimeout(resolve, 50))
  assert.deepEqual(exits, [1])
})
