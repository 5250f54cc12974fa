import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readRequestTarget } from './request-path.ts'

const targets: [target: string, authority: string | null, path: string, query: string][] = [
  ['/', null, '/', ''],
  ['/a?b=c?d', null, '/a', '?b=c?d'],
  ['//evil.example/x', null, '//evil.example/x', ''],
  ['/?', null, '/', '?'],
  ['http://hello.masthead.localhost:8080/a?b', 'hello.masthead.localhost:8080', '/a', '?b'],
  ['HTTP://example.com', 'example.com', '/', ''],
  ['http://example.com?q', 'example.com', '/', '?q'],
  ['http:///a', '', '/a', ''],
  ['*', null, '*', ''],
  ['', null, '', ''],
]

for (const [target, authority, path, query] of targets) {
  test(`the target ${JSON.stringify(target)} is split`, () => {
    assert.deepEqual(readRequestTarget(target), { authority, path, query, isChallenge: false })
  })
}

test('a target in the folder of ACME challenges is recognized in either form', () => {
  const path = '/.well-known/acme-challenge/token'
  for (const target of [path, `${path}?query`, `http://example.com${path}`]) {
    assert.equal(readRequestTarget(target).isChallenge, true, target)
  }
  for (const target of [
    '/.well-known/acme-challenge',
    `/x${path}`,
    `/?${path}`,
    '/%2ewell-known/acme-challenge/a',
  ]) {
    assert.equal(readRequestTarget(target).isChallenge, false, target)
  }
})
