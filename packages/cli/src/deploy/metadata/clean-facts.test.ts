import assert from 'node:assert/strict'
import { test } from 'node:test'
import { metaInput } from '@masthead/contract/schemas/deployment-meta.ts'
import { anyCharacter } from '@masthead/testing/any-character.ts'
import { anyUrl } from '@masthead/testing/any-url.ts'
import fc from 'fast-check'
import { cleanFacts, repositoryName } from './clean-facts.ts'
import type { Facts } from './pipelines.ts'

test('a repository is named by the address of its page, without secrets', () => {
  for (const [remote, name] of [
    ['acme/site', 'acme/site'],
    ['git@github.com:acme/site.git', 'https://github.com/acme/site'],
    ['ssh://git@git.example:2222/acme/site.git', 'https://git.example/acme/site'],
    ['https://github.com/acme/site.git', 'https://github.com/acme/site'],
    ['https://oauth2:secret@git.example/acme/site.git', 'https://git.example/acme/site'],
    ['https://ada@dev.example/acme/_git/site', 'https://dev.example/acme/_git/site'],
    ['/srv/git/site.git', ''],
    ['../site', ''],
    ['C:\\repos\\site', ''],
    ['file:///srv/git/site', ''],
    ['javascript:alert(1)', ''],
    ['', ''],
  ] as const) {
    assert.equal(repositoryName(remote), name, remote)
  }
})

const odd = fc.oneof(
  fc.string({ unit: anyCharacter, maxLength: 60 }),
  fc.string({ unit: 'grapheme', maxLength: 60 }),
  anyUrl,
  fc.constantFrom(
    '',
    'main',
    '12',
    '-1',
    'a b',
    '\u0000',
    '\u202e',
    'https://a:b@c.example/',
    '😀'.repeat(400),
  ),
  fc.constant(undefined),
)
const fields = [
  'message',
  'commit',
  'branch',
  'repository',
  'author',
  'url',
  'pullRequest',
  'target',
  'fork',
  'tag',
] as const
const facts: fc.Arbitrary<Facts> = fc.record(
  Object.fromEntries(fields.map((field) => [field, odd])) as Record<keyof Facts, typeof odd>,
)

test('whatever git or a pipeline says, the server accepts what is sent', () => {
  fc.assert(
    fc.property(facts, (given) => {
      const meta = cleanFacts(given)
      assert.deepEqual(metaInput.parse(meta), meta)
    }),
    { numRuns: 300 },
  )
})
