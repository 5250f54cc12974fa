import assert from 'node:assert/strict'
import { test } from 'node:test'
import { name } from './fields.ts'

test('names of people in any script, and emoji, are accepted as they are', () => {
  for (const one of ['Ada', 'نام\u200cها', 'שלום', '山田', '👩\u200d💻', 'e\u0301', ' Ada ']) {
    assert.equal(name.parse(one), one.trim())
  }
})

test('a name that nobody can see, or that reorders the text around it, is refused', () => {
  for (const one of [
    '',
    ' ',
    '\u200b\u2060',
    '\u2066\u200b',
    '\u3164',
    'ci \u202e',
    '\u2067a\u2069',
    'a\nb',
    'a\ud800',
  ]) {
    assert.equal(name.safeParse(one).success, false, JSON.stringify(one))
  }
})
