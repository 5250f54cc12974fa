import assert from 'node:assert/strict'
import { test } from 'node:test'
import { backTo, fragmentValue, paths } from './paths.ts'

const hashOf = (path: string) => new URL(path, 'http://localhost').hash

test('the way back survives the sign-in page, with a fragment of its own', () => {
  const asked = paths.commandLine('BCDF-GHJK')
  assert.equal(backTo(hashOf(paths.signIn(asked))), asked)
})

test('the way back to the projects is the plain address', () => {
  assert.equal(paths.signIn('/'), '/sign-in')
  assert.equal(backTo(''), '/')
})

test('a way back that leaves the dashboard leads to the projects instead', () => {
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

test('a token comes out of a link as it was put in', () => {
  assert.equal(fragmentValue(hashOf(paths.join('a+b/c=%2F'))), 'a+b/c=%2F')
})

test('a fragment that is not encoded properly is taken as it stands', () => {
  assert.equal(fragmentValue('#100%'), '100%')
})
