import assert from 'node:assert/strict'
import { test } from 'node:test'
import { atSiteRoot } from './site-root.ts'

const file = { sha256: '0'.repeat(64), size: 1 }
const paths = (...names: string[]) => [...atSiteRoot(new Map(names.map((name) => [name, file]))).keys()]

test('a folder that was packed as a whole is the site', () => {
  assert.deepEqual(paths('site/index.html', 'site/a/b.css'), ['index.html', 'a/b.css'])
})

test('what macOS packs beside the folder is left out with it', () => {
  assert.deepEqual(paths('site/index.html', '__MACOSX/site/._index.html'), ['index.html'])
})

test('everything else stays as it was packed', () => {
  for (const names of [
    ['index.html', 'site/index.html'],
    ['site/index.html', 'robots.txt'],
    ['docs/index.html', 'blog/index.html'],
    ['docs/guide.html'],
    ['docs/deep/index.html'],
    ['index.html/index.html', 'index.htm'],
  ])
    assert.deepEqual(paths(...names), names)
})
