import assert from 'node:assert/strict'
import { test } from 'node:test'
import { showProgress } from './progress.ts'

function screen(isTTY: boolean) {
  const written: string[] = []
  let time = 0
  const out = { isTTY, columns: 60, write: (text: string) => written.push(text) }
  return { written, progress: showProgress(out, () => time), pass: (ms: number) => (time += ms) }
}

test('at a terminal one line is redrawn and never wraps', () => {
  const { written, progress, pass } = screen(true)
  const step = progress.begin({ title: 'Files', unit: 'files', total: 4, bytes: 4_000_000_000 })
  for (let i = 0; i < 4; i++) {
    pass(1_000)
    step.advance(1, 1_000_000_000)
  }
  step.end()
  assert.equal(written.join('').split('\n').length, 2)
  for (const text of written) assert.ok(text.trimEnd().length <= 60 + '\r\u001b[K'.length)
  assert.match(written[1] ?? '', /Files: 2 of 4 files \(2\.0 GB of 4\.0 GB\), 1\.0 GB\/s, 2\.0/)
  assert.match(written.at(-1) ?? '', /Files: 4 files \(4\.0 GB\) in 4\.0 s\n$/)
})

test('elsewhere there is a line every few seconds and one at the end', () => {
  const { written, progress, pass } = screen(false)
  const step = progress.begin({ title: 'Rows', unit: 'rows', total: 30_000 })
  for (let i = 0; i < 30; i++) {
    pass(400)
    step.advance(1_000)
  }
  step.end()
  assert.deepEqual(written, [
    'Rows: 13,000 of 30,000 rows, 2,500 rows/s, 6.8 s left\n',
    'Rows: 26,000 of 30,000 rows, 2,500 rows/s, 1.6 s left\n',
    'Rows: 30,000 rows in 12 s\n',
  ])
})

test('the time left does not explode when the small files come first', () => {
  const { written, progress, pass } = screen(false)
  const step = progress.begin({ title: 'Files', unit: 'files', total: 200, bytes: 50 * 1024 ** 2 })
  for (let i = 0; i < 100; i++) {
    pass(100)
    step.advance(1, 10)
  }
  assert.match(written.at(-1) ?? '', /100 of 200 files \(1\.0 kB of .*, 30 s left/)
})
