import assert from 'node:assert/strict'
import { test } from 'node:test'
import { archiveSite, type Site } from './site.ts'
import { lacksFrontPage, leftOutWords } from './site-warnings.ts'

function folder(paths: string[], leftOut: string[] = []): Site {
  const files = paths.map((path) => {
    const file = new File([''], path)
    return { path, file, again: async () => file }
  })
  return { kind: 'folder', name: 'site', files, bytes: 0, leftOut }
}

test('a folder without index.html at its root lacks a front page; of an archive nobody knows yet', () => {
  assert.equal(lacksFrontPage(folder(['/index.html'])), false)
  assert.equal(lacksFrontPage(folder(['/docs/index.html', '/Index.html'])), true)
  const archive = archiveSite(new File([''], 'site.zip'))
  assert.ok(archive !== null)
  assert.equal(lacksFrontPage(archive), false)
})

test('what stays behind is named, a few of many, without the project file', () => {
  assert.equal(leftOutWords(folder([], ['/masthead.json'])), null)
  assert.equal(leftOutWords(folder([], ['/.env', '/.git/', '/masthead.json'])), '.env, .git/')
  const many = Array.from({ length: 9 }, (_, n) => `/.${n}`)
  assert.equal(leftOutWords(folder([], many)), '.0, .1, .2, .3, .4, .5 and 3 more')
})
