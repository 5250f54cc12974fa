import assert from 'node:assert/strict'
import { test } from 'node:test'
import { rank } from './rank.ts'

function titles(query: string, ...names: string[]): string[] {
  return rank(
    query,
    names.map((title) => ({ title })),
  ).map(({ title }) => title)
}

test('a match at the start ranks first, then at a later word, then inside a word, then scattered letters', () => {
  const names = ['dune moon', 'decor', 'undoing', 'the docs', 'docs', 'do nothing']
  assert.deepEqual(titles('do', ...names), ['docs', 'do nothing', 'the docs', 'undoing', 'decor'])
})

test('scattered letters match within one word or as initials, not across a line', () => {
  assert.deepEqual(titles('hndbk', 'handbook', 'hand over the big kettle'), ['handbook'])
  assert.deepEqual(titles('nwp', 'New white paper', 'new paper'), ['New white paper'])
})

test('equal matches keep their order', () => {
  assert.deepEqual(titles('a', 'Beta a', 'Acme', 'Apex'), ['Acme', 'Apex', 'Beta a'])
})

test('every word has to match, in any order', () => {
  assert.deepEqual(titles('acme add', 'Add a domain to acme', 'Add a domain to globex'), [
    'Add a domain to acme',
  ])
})

test('case and accents are ignored', () => {
  assert.deepEqual(titles('MUNCHEN', 'münchen.example'), ['münchen.example'])
})

test('each label of a hostname is a word', () => {
  assert.deepEqual(titles('acme', 'placmex', 'www.acme.com'), ['www.acme.com', 'placmex'])
})

test('matches in the detail rank after matches in a title', () => {
  const entries = [{ title: 'Overview', detail: 'handbook' }, { title: 'The handbook' }]
  assert.deepEqual(rank('hand', entries), [entries[1], entries[0]])
})

test('a single letter never matches as a scattered letter', () => {
  assert.deepEqual(titles('z', 'Members', 'Zebra'), ['Zebra'])
  assert.deepEqual(titles('xy', 'Members'), [])
})

test('an empty query returns everything', () => {
  assert.deepEqual(titles('  ', 'b', 'a'), ['b', 'a'])
})

test('other names match as well as the title', () => {
  const entries = [
    { title: 'Sign out', alsoCalled: ['Log out', 'Logout'] },
    { title: 'Create a key', alsoCalled: ['New API key'] },
    { title: 'New project' },
  ]
  const found = (query: string) => rank(query, entries).map(({ title }) => title)
  for (const query of ['logout', 'log out', 'Sign out', 'out sign'])
    assert.deepEqual(found(query), ['Sign out'])
  for (const query of ['new key', 'key new', 'api key']) assert.deepEqual(found(query), ['Create a key'])
  assert.deepEqual(found('new'), ['Create a key', 'New project'])
})
