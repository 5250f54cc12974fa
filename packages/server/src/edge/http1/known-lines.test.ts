import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { createRandom } from '@masthead/testing/seeded-random.ts'
import { KnownLines } from './known-lines.ts'

const viewOf = (text: string) => new DataView(Uint8Array.from(Buffer.from(text, 'latin1')).buffer)

/** Keeps the line that begins at `start` unless it is known; returns what it stood for before. */
function visit(known: KnownLines<{ text: string }>, text: string, start = 0, end: number = text.length) {
  const view = viewOf(text)
  const before = known.find(view, start, end)
  if (before === null) known.keep({ text: text.slice(start, known.end) }, view, start)
  return before?.text ?? null
}

suite('Known lines', () => {
  test('stand for what was kept for them, wherever they are', () => {
    const known = new KnownLines<{ text: string }>(16, 32)
    assert.equal(visit(known, 'Host: a\r\n'), null)
    assert.equal(visit(known, 'GET / HTTP/1.1\r\nHost: a\r\n', 16), 'Host: a')
    assert.equal(visit(known, 'Host: a'), 'Host: a')
    for (const other of ['host: a', 'Host: b', 'Host: aa', 'Host: ', 'Hos', '', 'Host: a\t', 'Host: a\x80']) {
      const isSame = other.startsWith('Host: a') && other.charCodeAt(7) !== 97
      assert.equal(known.find(viewOf(other), 0, other.length)?.text ?? null, isSame ? 'Host: a' : null, other)
    }
  })

  test('end at the first byte that is not printable ASCII, or where the input ends', () => {
    const known = new KnownLines<{ text: string }>(16, 32)
    for (let code = 0; code < 256; code++) {
      for (let length = 0; length < 12; length++) {
        const text = `ab${'x'.repeat(length)}${String.fromCharCode(code)}\x00\x7f\xff~ \r\n`
        const isPrintable = code >= 32 && code < 127
        known.find(viewOf(text), 2, text.length)
        assert.equal(known.end, 2 + length + (isPrintable ? 1 : 0), `${code} after ${length}`)
        known.find(viewOf(text), 2, 2 + length)
        assert.equal(known.end, 2 + length)
      }
    }
  })

  test('are neither longer than the bound nor shorter than a word', () => {
    for (const length of [3, 4, 5, 31, 32, 33, 1_000]) {
      const known = new KnownLines<{ text: string }>(16, 32)
      const line = 'a'.repeat(length)
      visit(known, line)
      assert.equal(visit(known, line), length >= 4 && length <= 32 ? line : null)
    }
  })

  test('do not change with the memory that they came from', () => {
    const known = new KnownLines<{ text: string }>(16, 32)
    const view = viewOf('Host: a')
    known.find(view, 0, 7)
    known.keep({ text: 'Host: a' }, view, 0)
    view.setUint8(6, 98)
    assert.equal(known.find(view, 0, 7), null)
    assert.equal(visit(known, 'Host: a'), 'Host: a')
  })

  test('make way for others, and never stand for anything else', () => {
    const random = createRandom(5)
    const known = new KnownLines<{ text: string }>(64, 16)
    let found = 0
    for (let count = 0; count < 100_000; count++) {
      const length = 4 + random(5)
      const line = Array.from({ length }, () => 'ab'[random(2)]).join('')
      const start = random(7)
      const before = visit(known, `${'-'.repeat(start)}${line}\r\n`, start)
      if (before === null) continue
      if (before !== line) assert.fail(`${before} instead of ${line}`)
      found++
    }
    assert.ok(found > 10_000 && found < 90_000, `${found} found`)
  })
})
