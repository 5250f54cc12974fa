import assert from 'node:assert/strict'
import { test } from 'node:test'
import { displayRows, displayWidth, sanitize, wrapText } from './layout.ts'

test('colours and combining marks take no columns, wide characters two', () => {
  assert.equal(displayWidth('\x1b[31mred\x1b[39m'), 3)
  assert.equal(displayWidth('u\u0308'), 1)
  assert.equal(displayWidth('例え.jp'), 7)
  assert.equal(displayWidth('💩.la'), 5)
  assert.equal(displayWidth('☃.net ✓ ✔'), 9)
  assert.equal(displayWidth('𠮷野家'), 6)
  assert.equal(displayWidth('می\u200cخواهم'), 7)
})

test('a line takes the rows that a terminal breaks it into', () => {
  assert.equal(displayRows('', 5), 1)
  assert.equal(displayRows('\x1b[31mabcde\x1b[39m', 5), 1)
  assert.equal(displayRows('abcdef', 5), 2)
  assert.equal(displayRows('例例例', 5), 2)
  assert.equal(displayRows('u\u0308'.repeat(5), 5), 1)
})

test('lines end before the width and start with the indent; long words stay whole', () => {
  assert.deepEqual(wrapText('one two three', 9, '  '), ['  one two', '  three'])
  assert.deepEqual(wrapText('a verylongword b', 6), ['a', 'verylongword', 'b'])
  assert.deepEqual(wrapText(' \n ', 10), [])
})

test('plain text of any script is left alone, what drives a terminal is not', () => {
  for (const text of ['bücher.例え → 1', 'می\u200cخواهم', 'क्\u200dष', '👩\u200d👩\u200d👧']) {
    assert.equal(sanitize(text), text)
  }
  assert.equal(sanitize('ac\u200dme \u200cمی\u200c\u200c'), 'ac\ufffdme \ufffdمی\ufffd\ufffd')
  assert.equal(sanitize('Zoë\u200dée'), 'Zoë\ufffdée')
  assert.equal(sanitize('a\x1b[2J\r\n\u202eb'), 'a\ufffd[2J\ufffd\ufffd\ufffdb')
})

test('long text is cut', () => {
  assert.equal(sanitize('abcdef', 4), 'abc…')
})
