import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ignoredPart, isIgnored } from './deployments.ts'

test('what is hidden, installed or about the project is not published, wherever it lies', () => {
  for (const name of ['.git', '.env', '.DS_Store', 'node_modules', 'Thumbs.db', '__MACOSX']) {
    assert.equal(isIgnored(name, true), true, name)
    assert.equal(isIgnored(name, false), true, name)
  }
})

test('.well-known is published although it is hidden', () => {
  assert.equal(isIgnored('.well-known', true), false)
})

test('the file of a project is left out at the root only', () => {
  assert.equal(isIgnored('masthead.yaml', true), true)
  assert.equal(isIgnored('masthead.yaml', false), false)
})

test('a path is left out for the first part that is not published', () => {
  for (const [path, part] of [
    ['/.env', '/.env'],
    ['/docs/.git/HEAD', '/docs/.git/'],
    ['/node_modules/a/node_modules/b.js', '/node_modules/'],
    ['/masthead.json', '/masthead.json'],
    ['/docs/masthead.json', null],
    ['/.well-known/security.txt', null],
    ['/.well-known/.hidden', '/.well-known/.hidden'],
    ['/index.html', null],
  ] as const) {
    assert.equal(ignoredPart(path), part, path)
  }
})
