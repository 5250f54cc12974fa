import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DeploysUnderWay } from './deploys-under-way.ts'

test('work for later waits until the last of several calls has ended', async () => {
  const deploys = new DeploysUnderWay()
  const [one, other] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const calls = [deploys.run(() => one.promise), deploys.run(() => other.promise)]
  let passed = false
  const waiting = deploys.letPass(60_000).then(() => {
    passed = true
  })
  one.resolve()
  await calls[0]
  assert.equal(passed, false)
  other.resolve()
  await calls[1]
  assert.equal(deploys.any, true, 'the next call of the same deploy may come')
  await waiting
  assert.equal(deploys.any, false)
})

test('a call that fails has ended too', async () => {
  const deploys = new DeploysUnderWay()
  await assert.rejects(deploys.run(() => Promise.reject(new Error('refused'))))
  await deploys.letPass(60_000)
  assert.equal(deploys.any, false)
})

test('a call that never ends is waited for no longer than allowed, or until a stop', async () => {
  const deploys = new DeploysUnderWay()
  void deploys.run(() => new Promise(() => {}))
  assert.ok((await deploys.letPass(30)) >= 30)
  assert.equal(await deploys.letPass(0), 0)
  const stopping = new AbortController()
  const waiting = deploys.letPass(3_600_000, stopping.signal)
  stopping.abort()
  await waiting
})
