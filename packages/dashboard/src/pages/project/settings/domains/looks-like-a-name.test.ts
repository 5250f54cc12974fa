import assert from 'node:assert/strict'
import { test } from 'node:test'
import { looksLikeAName } from './looks-like-a-name.ts'

test('what people type and paste for a domain is asked about', () => {
  for (const typed of ['acme.com', 'https://WWW.Acme.com/path', 'bücher。example', 'acme.com.', '例え.jp']) {
    assert.equal(looksLikeAName(typed), true, typed)
  }
})

test('the beginning of a name is not asked about yet', () => {
  for (const typed of [
    '',
    'acme',
    'acme.',
    'acme.c',
    'https://',
    'https://acme',
    '...',
    `${'a'.repeat(400)}.com`,
  ]) {
    assert.equal(looksLikeAName(typed), false, typed)
  }
})
