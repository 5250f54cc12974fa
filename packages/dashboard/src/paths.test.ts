import assert from 'node:assert/strict'
import { test } from 'node:test'
import { backTo, fragmentValue, paths } from './paths.ts'

const hashOf = (path: string) => new URL(path, 'http://localhost').hash

test('a return path with a fragment survives the sign-in page', () => {
  const asked = paths.commandLine('BCDF-GHJK')
  assert.equal(backTo(hashOf(paths.signIn(asked))), asked)
})

test('returning to the projects needs no fragment', () => {
  assert.equal(paths.signIn('/'), '/sign-in')
  assert.equal(backTo(''), '/')
})

test('a return path outside the dashboard falls back to the projects', () => {
  for (const foreign of [
    '//evil.example',
    '/\\evil.example',
    'https://evil.example/',
    'javascript:alert(1)',
    '/\t/evil.example',
  ]) {
    assert.equal(backTo(`#${encodeURIComponent(foreign)}`), '/', foreign)
    assert.equal(backTo(`#${foreign}`), '/', foreign)
  }
})

test('a token survives a round trip through a link', () => {
  assert.equal(fragmentValue(hashOf(paths.join('a+b/c=%2F'))), 'a+b/c=%2F')
})

test('a malformed fragment is used as it is', () => {
  assert.equal(fragmentValue('#100%'), '100%')
})
