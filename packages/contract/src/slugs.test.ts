import assert from 'node:assert/strict'
import { test } from 'node:test'
import { reservedSlugs, slugError, slugMaxLength, suggestSlug } from './slugs.ts'

test('a slug that is a valid DNS label has no error', () => {
  for (const slug of ['a', '7', 'my-site', 'a-b-c', '2030', 'a'.repeat(slugMaxLength), 'api-docs', 'xn-a']) {
    assert.equal(slugError(slug), null, slug)
  }
})

test('an invalid slug comes with the reason', () => {
  const faults: [string, RegExp][] = [
    ['', /1 to 40 characters/],
    ['a'.repeat(slugMaxLength + 1), /1 to 40 characters/],
    ['My-site', /lower-case/],
    ['my_site', /lower-case/],
    ['my.site', /lower-case/],
    ['mü', /lower-case/],
    ['a\n', /lower-case/],
    ['-a', /start and end/],
    ['a-', /start and end/],
    ['-', /start and end/],
    ['a--b', /two hyphens/],
    ['www', /reserved/],
  ]
  for (const [slug, why] of faults) assert.match(slugError(slug) ?? 'no fault', why, slug)
  const claimed = ['wpad', 'autodiscover', 'autoconfig', 'isatap', 'postmaster', 'abuse', 'login', 'security']
  const mailboxes = ['admin', 'administrator', 'hostmaster', 'webmaster', 'ssladmin', 'mta-sts']
  for (const slug of [...claimed, ...mailboxes]) assert.match(slugError(slug) ?? 'no fault', /reserved/, slug)
  assert.match(slugError('_dmarc') ?? 'no fault', /lower-case/)
  for (const slug of reservedSlugs) assert.match(slugError(slug) ?? 'no fault', /reserved/)
})

test('a slug fits into a DNS label together with the prefix of a preview', () => {
  assert.ok(20 + '--'.length + slugMaxLength <= 63)
})

test('names suggest the expected slug', () => {
  const suggestions: [string, string | null][] = [
    ['My Site', 'my-site'],
    ['  Café — Zürich!  ', 'cafe-zurich'],
    ['hello_world.v2', 'hello-world-v2'],
    ['ﬁne', 'fine'],
    ['日本', null],
    ['---', null],
    ['', null],
    ['WWW', null],
  ]
  for (const [name, slug] of suggestions) assert.equal(suggestSlug(name), slug, name)
})

test('for any name the suggestion is a valid slug or null, and suggests itself', () => {
  const pieces = [
    '',
    'a',
    'Z',
    '9',
    '-',
    '--',
    ' ',
    '.',
    '_',
    'é',
    'İ',
    'ß',
    '\u0301',
    '😀',
    '\0',
    'www',
    'x'.repeat(39),
  ]
  for (const first of pieces) {
    for (const second of pieces) {
      for (const third of pieces) {
        const slug = suggestSlug(first + second + third)
        if (slug === null) continue
        assert.equal(slugError(slug), null)
        assert.equal(suggestSlug(slug), slug)
      }
    }
  }
})
