import assert from 'node:assert/strict'
import { test } from 'node:test'
import { nextExtra, SpareCores } from './spare-cores.ts'

test('more runs while the machine has time left, within a bound', () => {
  let extra = 0
  for (let at = 0; at < 100; at++) {
    const next = nextExtra(extra, 0.5, 2)
    assert.ok(next > extra || next === 300)
    extra = next
  }
  assert.equal(extra, 300)
})

test('less runs while it has none, down to what the loads say', () => {
  let extra = 60
  for (let at = 0; at < 10; at++) extra = nextExtra(extra, 0.01, 2)
  assert.equal(extra, 0)
})

test('nothing changes while the machine is well used', () => {
  assert.equal(nextExtra(50, 0.08, 2), 50)
})

test('the times of this machine can be read', () => {
  const spare = new SpareCores(2)
  const until = performance.now() + 50
  while (performance.now() < until);
  spare.update()
  assert.ok(spare.extra >= 0 && spare.extra <= 200)
})
