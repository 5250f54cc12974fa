import assert from 'node:assert/strict'
import { test } from 'node:test'
import { anyCharacter } from '@masthead/testing/any-character.ts'
import fc from 'fast-check'
import { canonicalHostname, parseHostname } from './hostname.ts'

test('names pasted badly are the same name', () => {
  for (const typed of [
    'www.bücher.example',
    ' WWW.BÜCHER.example. ',
    'https://www.bücher.example/a?b',
    'www.xn--bcher-kva.example',
  ]) {
    assert.equal(canonicalHostname(typed), 'www.xn--bcher-kva.example', typed)
  }
})

test('what cannot be part of an address is refused here, everything else is for the server', () => {
  for (const typed of ['', ' ', '.', '..', '/'])
    assert.throws(() => parseHostname(typed), { code: 'usage' }, typed)
  assert.equal(parseHostname(' https://www.acme.com/ '), 'https://www.acme.com/')
})

test('no text makes it throw, and the stored form of a stored form is itself', () => {
  fc.assert(
    fc.property(fc.string({ unit: anyCharacter }), (typed) => {
      const once = canonicalHostname(typed)
      assert.equal(canonicalHostname(once), once)
    }),
  )
})
