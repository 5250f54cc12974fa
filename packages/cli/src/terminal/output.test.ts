import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Output } from './output.ts'

const eraseLine = '\r\x1b[2K'
const eraseLineAbove = '\x1b[1A\x1b[2K'

function atTerminal(columns: number) {
  const written: string[] = []
  const stderr = { isTTY: true, columns, write: (text: string) => written.push(text) }
  const stream = stderr as unknown as NodeJS.WriteStream
  const out = new Output({ stdin: {}, stdout: stream, stderr: stream, json: false, quiet: false })
  return { out, written, stderr }
}

test('a line that is wider than the terminal is drawn whole, and all its rows are erased', () => {
  const { out, written } = atTerminal(80)
  const long = 'x'.repeat(161)
  out.draw(['first', long])
  out.clear()
  assert.deepEqual(written, [`first\n${long}`, eraseLine + eraseLineAbove.repeat(3)])
})

test('rows are counted in the width that the terminal has by then', () => {
  const { out, written, stderr } = atTerminal(80)
  out.draw(['x'.repeat(80)])
  stderr.columns = 40
  out.draw(['y'])
  assert.equal(written[1], `${eraseLine}${eraseLineAbove}y`)
})
