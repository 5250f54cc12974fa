import assert from 'node:assert/strict'
import { test } from 'node:test'
import { rank } from './rank.ts'

function titles(query: string, ...names: string[]): string[] {
  return rank(
    query,
    names.map((title) => ({ title })),
  ).map(({ title }) => title)
}

test('the beginning comes before a later word, that before the inside, that before scattered letters', () => {
  const names = ['dune moon', 'decor', 'undoing', 'the docs', 'docs', 'do nothing']
  assert.deepEqual(titles('do', ...names), ['docs', 'do nothing', 'the docs', 'undoing', 'decor'])
})

test('scattered letters count within one word or as initials, not over a whole line', () => {
  assert.deepEqual(titles('hndbk', 'handbook', 'hand over the big kettle'), ['handbook'])
  assert.deepEqual(titles('nwp', 'New white paper', 'new paper'), ['New white paper'])
})

test('what is alike stays in its order', () => {
  assert.deepEqual(titles('a', 'Beta a', 'Acme', 'Apex'), ['Acme', 'Apex', 'Beta a'])
})

test('every word has to be found, in any order', () => {
  assert.deepEqual(titles('acme add', 'Add a domain to acme', 'Add a domain to globex'), [
    'Add a domain to acme',
  ])
})

test('capitals and accents are not needed', () => {
  assert.deepEqual(titles('MUNCHEN', 'münchen.example'), ['münchen.example'])
})

test('a label of a hostname counts as a word', () => {
  assert.deepEqual(titles('acme', 'placmex', 'www.acme.com'), ['www.acme.com', 'placmex'])
})

test('what is only in the detail comes after all titles', () => {
  const entries = [{ title: 'Overview', detail: 'handbook' }, { title: 'The handbook' }]
  assert.deepEqual(rank('hand', entries), [entries[1], entries[0]])
})

test('a single letter has to stand there, not somewhere in between', () => {
  assert.deepEqual(titles('z', 'Members', 'Zebra'), ['Zebra'])
  assert.deepEqual(titles('xy', 'Members'), [])
})

test('without a query everything is there', () => {
  assert.deepEqual(titles('  ', 'b', 'a'), ['b', 'a'])
})

test('what people call it otherwise leads to it, as well as its title does', () => {
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
