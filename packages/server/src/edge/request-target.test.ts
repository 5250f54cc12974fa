import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readRequestTarget } from './request-target.ts'

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
  test(`the target ${JSON.stringify(target)} is taken apart`, () => {
    assert.deepEqual(readRequestTarget(target), { authority, path, query })
  })
}
