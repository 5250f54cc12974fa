import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { decideRange } from './range.ts'

const parts: [header: string, start: number, end: number][] = [
  ['bytes=0-0', 0, 0],
  ['bytes=0-99', 0, 99],
  ['bytes=10-19', 10, 19],
  ['bytes=90-', 90, 99],
  ['bytes=0-', 0, 99],
  ['bytes=90-1000', 90, 99],
  ['bytes=-1', 99, 99],
  ['bytes=-100', 0, 99],
  ['bytes=-1000', 0, 99],
  ['Bytes=1-2', 1, 2],
  [`bytes=5-${'9'.repeat(400)}`, 5, 99],
]

for (const [header, start, end] of parts) {
  test(`${header.slice(0, 30)} of 100 bytes is ${start} to ${end}`, () => {
    assert.deepEqual(decideRange(header, 100), { kind: 'part', range: { start, end } })
  })
}

for (const header of ['bytes=100-', 'bytes=100-200', 'bytes=-0', `bytes=${'9'.repeat(400)}-`]) {
  test(`${header.slice(0, 30)} of 100 bytes cannot be satisfied`, () => {
    assert.deepEqual(decideRange(header, 100), { kind: 'unsatisfiable' })
  })
}

const ignored = [
  '',
  'bytes',
  'bytes=',
  'bytes=-',
  'bytes=a-b',
  'bytes=5-4',
  'bytes=0-1,3-4',
  'items=0-1',
  'bytes=0x0-1',
  'bytes= 0-1',
  'bytes=--1',
  'bytes=1',
]

for (const header of ignored) {
  test(`${JSON.stringify(header)} is ignored`, () =>
    assert.deepEqual(decideRange(header, 100), { kind: 'whole' }))
}

test('an empty file has no parts', () => {
  assert.deepEqual(decideRange('bytes=0-', 0), { kind: 'whole' })
  assert.deepEqual(decideRange('bytes=-5', 0), { kind: 'whole' })
})

test('a part always lies within the file', () => {
  const number = fc.oneof(fc.constant(''), fc.nat(50), fc.bigInt({ min: 0n, max: 10n ** 30n }))
  fc.assert(
    fc.property(number, number, fc.nat(60), (first, last, size) => {
      const decision = decideRange(`bytes=${first}-${last}`, size)
      if (decision.kind !== 'part') return
      const { start, end } = decision.range
      assert.ok(0 <= start && start <= end && end < size)
    }),
  )
})
