import assert from 'node:assert/strict'
import { test } from 'node:test'
import { barAt, barByKey, barScale, dayLabel, meterFill, minuteLabel } from './scales.ts'

test('the limit is the top of the scale while nothing exceeds it', () => {
  const { heights, limitAt, peak } = barScale([0, 150, 300, 300], 300)
  assert.deepEqual(heights, [0, 0.5, 1, 1])
  assert.equal(limitAt, 1)
  assert.equal(peak, 2)
})

test('a bar above the limit extends the scale and the limit stays visible', () => {
  const { heights, limitAt } = barScale([60, 120], 60)
  assert.deepEqual(heights, [0.5, 1])
  assert.equal(limitAt, 0.5)
})

test('one request against a large limit is visible, none is not', () => {
  const [one, none] = barScale([1, 0], 100_000).heights
  assert.ok(one !== undefined && one > 0.01)
  assert.equal(none, 0)
})

test('an empty history has no peak and no bars', () => {
  assert.deepEqual(barScale([0, 0], 60), { heights: [0, 0], above: [0, 0], limitAt: 1, peak: null })
  assert.deepEqual(barScale([], 60), { heights: [], above: [], limitAt: 1, peak: null })
})

test('every position, even beyond the edges, belongs to a bar', () => {
  assert.equal(barAt(0, 120), 0)
  assert.equal(barAt(0.5, 120), 60)
  assert.equal(barAt(1, 120), 119)
  assert.equal(barAt(-0.2, 120), 0)
  assert.equal(barAt(1.2, 120), 119)
})

test('arrow keys move by one bar, page keys by a tenth, and both stop at the ends', () => {
  assert.equal(barByKey('ArrowLeft', 5, 120), 4)
  assert.equal(barByKey('ArrowRight', 5, 120), 6)
  assert.equal(barByKey('PageUp', 5, 120), 17)
  assert.equal(barByKey('ArrowLeft', 0, 120), 0)
  assert.equal(barByKey('PageUp', 115, 120), 119)
  assert.equal(barByKey('Home', 115, 120), 0)
  assert.equal(barByKey('End', 5, 120), 119)
})

test('other keys do nothing', () => {
  assert.equal(barByKey('Tab', 5, 120), null)
  assert.equal(barByKey('constructor', 5, 120), null)
})

test('stacked values are capped, and the bars below stay readable', () => {
  const { heights, above, limitAt } = barScale([300, 150, 0], 300, [100_000, 30, 1])
  assert.deepEqual(heights, [0.8, 0.4, 0])
  assert.equal(limitAt, 0.8)
  assert.ok(Math.abs((above[0] ?? 0) - 0.2) < 1e-9)
  assert.ok(Math.abs((above[1] ?? 0) - 0.08) < 1e-9)
  assert.ok((above[2] ?? 0) > 0.01)
})

test('a meter warns from 80 percent and is full at the limit', () => {
  assert.deepEqual(meterFill(0, 300), { part: 0, state: 'enough' })
  assert.equal(meterFill(239, 300).state, 'enough')
  assert.equal(meterFill(240, 300).state, 'nearly')
  assert.equal(meterFill(299, 300).state, 'nearly')
  assert.deepEqual(meterFill(300, 300), { part: 1, state: 'full' })
})

test('a limit lowered below what is used shows as full', () => {
  assert.deepEqual(meterFill(280, 60), { part: 1, state: 'full' })
})

test('a minute is shown in the time zone of the reader', () => {
  const start = Date.parse('2026-11-15T18:07:00Z')
  assert.equal(minuteLabel(start, 'UTC'), '18:07')
  assert.equal(minuteLabel(start, 'Asia/Tokyo'), '03:07')
})

test('a day is shown in UTC, as the limit counts it', () => {
  assert.equal(dayLabel(Date.parse('2026-11-15T00:00:00Z')), '15 Nov')
})
