import assert from 'node:assert/strict'
import { test } from 'node:test'
import { normalizeName } from './normalize-name.ts'

const grave = '\u0300'
const below = '\u0323'

test('names are normalized, also with more accents than any script has', () => {
  assert.equal(normalizeName('/cafe\u0301'), '/café')
  assert.equal(normalizeName(`a${grave}${below}`), `ạ${grave}`)
  const most = `x${grave.repeat(60)}${below.repeat(60)}`
  assert.equal(normalizeName(`/${most}/${most}`), `/${most}/${most}`.normalize('NFC'))
})

test('a row of accents that no file name can have is not sorted', (context) => {
  const normalize = context.mock.method(String.prototype, 'normalize')
  for (const row of [
    grave.repeat(64) + below.repeat(64),
    '\u0345'.repeat(200),
    '\u{1d165}\u0323'.repeat(10_000),
  ]) {
    assert.equal(normalizeName(`/café/${row}/b`), null)
  }
  assert.equal(normalize.mock.callCount(), 0)
})
