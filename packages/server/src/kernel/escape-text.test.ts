import assert from 'node:assert/strict'
import { test } from 'node:test'
import { anyCharacter } from '@masthead/testing/any-character.ts'
import fc from 'fast-check'
import { printableText } from './escape-text.ts'

test('readable text stays as it is, unicode included', () => {
  for (const text of ['www.acme.com', 'v=spf1 include:_spf.acme.com ~all', 'bücher.example', '日本語.jp']) {
    assert.equal(printableText(text), text)
  }
})

test('invisible characters are escaped', () => {
  assert.equal(
    printableText('a\nb\u001b[31m\u202ec\u200b\u00a0'),
    'a\\u{a}b\\u{1b}[31m\\u{202e}c\\u{200b}\\u{a0}',
  )
})

test('for any input the result is printable and bounded', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: anyCharacter, maxLength: 400 }),
      fc.integer({ min: 1, max: 200 }),
      (text, longest) => {
        const shown = printableText(text, longest)
        assert.doesNotMatch(shown, /[\p{C}\p{Zl}\p{Zp}]/u)
        assert.ok(shown.length <= longest * 10 + 1)
      },
    ),
  )
})
