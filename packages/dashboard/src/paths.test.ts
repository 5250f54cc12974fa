import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { createAnchors } from '@masthead/contract/docs/heading-anchors.ts'
import { backTo, fragmentValue, guides, paths } from './paths.ts'

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

test('every link to a guide leads to one, and to a heading of it', () => {
  const list = readFileSync(new URL('../../../docs/README.md', import.meta.url), 'utf8')
  const [served = ''] = list.split('## Work on Masthead')
  for (const { path } of Object.values(guides)) {
    const { pathname, hash } = new URL(path, 'http://localhost')
    const file = `${pathname.slice('/docs/'.length)}.md`
    assert.ok(served.includes(`](${file})`), path)
    const guide = readFileSync(new URL(`../../../docs/${file}`, import.meta.url), 'utf8')
    const anchors = Array.from(guide.matchAll(/^#+ (.+)$/gm), ([, heading = '']) => heading).map(
      createAnchors(),
    )
    if (hash !== '') assert.ok(anchors.includes(hash.slice(1)), path)
  }
})
