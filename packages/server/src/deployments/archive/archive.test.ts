import assert from 'node:assert/strict'
import { test } from 'node:test'
import { siteRootOf } from './archive.ts'

test('a folder that was packed as a whole is the site', () => {
  assert.equal(siteRootOf(new Set(['/site/a/b.css', '/site/index.html'])), '/site/')
  assert.equal(siteRootOf(new Set(['/ünï code/index.html'])), '/ünï code/')
})

test('everything else stays as it was packed', () => {
  for (const paths of [
    ['/index.html', '/site/index.html'],
    ['/site/index.html', '/robots.txt'],
    ['/site/index.html', '/sites/a.html'],
    ['/docs/index.html', '/blog/index.html'],
    ['/docs/guide.html'],
    ['/docs/deep/index.html'],
    ['/index.html/index.html', '/index.htm'],
    [],
  ])
    assert.equal(siteRootOf(new Set(paths)), '/', paths.join())
})
