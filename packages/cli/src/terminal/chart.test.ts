import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { chartWidth, drawChart } from './chart.ts'
import type { Paint } from './output.ts'

const plain: Paint = (_style, text) => text
const named: Paint = (style, text) => `<${style}>${text}</>`

const draw = (counts: number[], limit: number, width: number, paint = plain) =>
  drawChart({ counts, limit, width, gutter: 2, from: 'a', to: 'now' }, paint)

test('bars are as high as their share of the limit, whose line stands behind them', () => {
  assert.deepEqual(draw([0, 1, 15, 30, 45, 59, 60, 0], 60, 8), [
    '60 ▔▔▔▔▔▇█▔',
    '       ███',
    '      ████',
    ' 0  ▁█████',
    '   a    now',
  ])
})

test('what went past the limit rises above its line, in red', () => {
  const [above, limit] = draw([70, 10], 60, 2, named)
  assert.equal(above, '   <red>▆</>')
  assert.equal(limit, '60 █<dim>▔</>')
})

test('a peak of many times the limit is cut off rather than pushing all else down', () => {
  assert.equal(draw([100_000, 1], 60, 2).length, 9)
})

test('where there are more counts than columns, a bar is the busiest of its own', () => {
  assert.equal(draw([60, 0, 0, 30], 60, 2)[3], ' 0 ██')
  assert.equal(draw([60, 0, 0, 30], 60, 2)[0], '60 █▔')
})

test('a chart never outgrows its terminal, down to the narrowest', () => {
  fc.assert(
    fc.property(
      fc.constantFrom(120, 30),
      fc.integer({ min: 15, max: 300 }),
      fc.nat(5000),
      fc.integer({ min: 1, max: 2000 }),
      (length, columns, most, limit) => {
        const counts = Array.from({ length }, (_, index) => (index * most) / length)
        const chart = { counts, limit, width: chartWidth(columns), gutter: 5, from: '2 h ago', to: 'now' }
        for (const line of drawChart(chart, plain)) assert.ok(line.length <= columns + 6, line)
      },
    ),
  )
})
