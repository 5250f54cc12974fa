import assert from 'node:assert/strict'
import { test } from 'node:test'
import { formatTable, median, milliseconds, percentile, ratio, seconds, whole } from './report.ts'

test('a table lines up in a terminal and is Markdown', () => {
  const table = formatTable({
    title: 'Edge',
    columns: ['case', 'Masthead'],
    rows: [
      ['4 KB', '1,000'],
      ['a long case', '2'],
    ],
    notes: ['One core each.'],
  })
  assert.equal(
    table,
    `## Edge

| case        | Masthead |
| ----------- | -------: |
| 4 KB        |    1,000 |
| a long case |        2 |

One core each.
`,
  )
})

test('the median of an even count lies between its two middle values', () => {
  assert.equal(median([9, 1, 5]), 5)
  assert.equal(median([4, 1, 3, 100]), 3.5)
})

test('a percentile is a value that occurs', () => {
  const values = Array.from({ length: 200 }, (_, index) => 200 - index)
  assert.deepEqual(
    [50, 99, 100].map((percent) => percentile(values, percent)),
    [100, 198, 200],
  )
  assert.equal(percentile([7], 1), 7)
})

test('figures are written for people', () => {
  assert.equal(ratio(3, 2), '1.50×')
  assert.equal(whole(12345.6), '12,346')
  assert.equal(seconds(1.234), '1.23 s')
  assert.equal(seconds(12.34), '12.3 s')
  assert.equal(milliseconds(1.234), '1.23 ms')
})
