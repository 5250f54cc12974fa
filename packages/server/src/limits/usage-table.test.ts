import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { minute } from '../kernel/clock.ts'
import { nothingUsed } from './usage.ts'
import { UsageTable } from './usage-table.ts'

const usage = (used: number, resetAt = 0) => ({
  minuteUsed: used,
  minuteResetAt: resetAt,
  dayUsed: used * 2,
  dayResetAt: resetAt,
})

test('every caller gets its own usage back, however many there are', () => {
  const table = new UsageTable()
  for (let n = 0; n < 5_000; n++) table.write(table.rowOf(`caller ${n}`), usage(n))
  for (let n = 0; n < 5_000; n++) assert.deepEqual(table.find(`caller ${n}`), usage(n))
  assert.equal(table.find('nobody'), undefined)
  assert.equal(table.size, 5_000)
})

test('callers whose windows have ended are removed in batches, and others stay', () => {
  const table = new UsageTable()
  const now = 10 * minute
  for (let n = 0; n < 100; n++) table.write(table.rowOf(`caller ${n}`), usage(n, n % 2 ? now : 2 * minute))
  table.forgetIdle(now, 50)
  assert.equal(table.size, 75)
  table.forgetIdle(now, 200)
  assert.equal(table.size, 50)
  assert.deepEqual(table.find('caller 99'), usage(99, now))
  assert.equal(table.find('caller 98'), undefined)
  table.forgetIdle(now + minute, 200)
  table.forgetIdle(now + minute, 200)
  assert.equal(table.size, 0)
})

test('a caller that reuses a removed row starts with nothing used', () => {
  const table = new UsageTable()
  const row = table.rowOf('old')
  table.write(row, usage(7, 1))
  table.forgetIdle(10 * minute, 10)
  assert.equal(table.rowOf('new'), row)
  assert.deepEqual(table.find('new'), nothingUsed)
})

test('a full table removes the oldest caller', () => {
  const table = new UsageTable(3)
  for (const caller of ['a', 'b', 'c', 'd']) table.write(table.rowOf(caller), usage(1))
  assert.equal(table.size, 3)
  assert.equal(table.find('a'), undefined)
  assert.deepEqual(table.find('d'), usage(1))
})

test('a full table removes the oldest caller each time, also once others were forgotten and come again', () => {
  const table = new UsageTable(3)
  const add = (...callers: string[]) => {
    for (const caller of callers) table.write(table.rowOf(caller), usage(1, minute))
  }
  const left = (...callers: string[]) => callers.filter((caller) => table.find(caller) !== undefined)
  add('a', 'b', 'c', 'd', 'a', 'e')
  assert.deepEqual(left('a', 'b', 'c', 'd', 'e'), ['a', 'd', 'e'])
  table.forgetIdle(10 * minute, 10)
  assert.equal(table.size, 0)
  add('d', 'f', 'g', 'h', 'd')
  assert.deepEqual(left('d', 'f', 'g', 'h'), ['d', 'g', 'h'])
  assert.equal(table.size, 3)
})

test('a table that was full once keeps no memory of the callers that came and went since', () => {
  const table = new UsageTable(1_000)
  let callers = 0
  const add = (count: number) => {
    for (let n = 0; n < count; n++) table.write(table.rowOf(`caller ${callers++}`), usage(1, minute))
  }
  add(1_001)
  const before = usedHeap()
  for (let round = 0; round < 400; round++) {
    add(500)
    table.forgetIdle(10 * minute, 1_000)
  }
  assert.equal(table.size, 0)
  const kept = usedHeap() - before
  assert.ok(kept < 5_000_000, `${kept} bytes`)
})

/** In bytes, after a collection. */
function usedHeap(): number {
  setFlagsFromString('--expose-gc')
  runInNewContext('gc')()
  return process.memoryUsage().heapUsed
}
