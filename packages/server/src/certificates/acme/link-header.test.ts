import assert from 'node:assert/strict'
import { test } from 'node:test'
import { linkTargets } from './link-header.ts'

const base = 'https://ca.example/certificate/1'
const alternates = (header: string | null) => linkTargets(header, 'alternate', base)

test('the targets of one relation are found among others, in any form', () => {
  const header =
    '<https://ca.example/dir>;rel="index", </certificate/1/1>; title="a, b"; rel=alternate, <2>;rel="up alternate"'
  assert.deepEqual(alternates(header), [
    'https://ca.example/certificate/1/1',
    'https://ca.example/certificate/2',
  ])
})

test('without such a link, or with one that cannot be read, there is none', () => {
  for (const header of [null, '', 'alternate', '<https://[>;rel="alternate"', '<a>;rel="index"']) {
    assert.deepEqual(alternates(header), [])
  }
})

test('a long header that almost matches is given up quickly', () => {
  assert.deepEqual(alternates(`<a>${';x="y" '.repeat(5000)}`), [])
})
