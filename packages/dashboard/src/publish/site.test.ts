import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  archiveSite,
  archiveType,
  lacksIndexPage,
  leftOutWords,
  projectNameFrom,
  type SiteUpload,
  slugFrom,
} from './site.ts'

test('a project is called as its folder, or as its archive without the ending', () => {
  assert.equal(projectNameFrom('Acme Handbook'), 'Acme Handbook')
  assert.equal(projectNameFrom('acme.zip'), 'acme')
  assert.equal(projectNameFrom('acme-1.2.tar.gz'), 'acme-1.2')
  assert.equal(projectNameFrom('acme.TGZ'), 'acme')
})

test('a name that is too long for a project is cut', () => {
  assert.equal(projectNameFrom(`${'a'.repeat(200)}.zip`), 'a'.repeat(80))
})

test('loose files and the folders of build tools name no project', () => {
  for (const name of [null, 'dist', 'Build', 'out', 'public.zip']) assert.equal(projectNameFrom(name), '')
})

test('an address is made of what is left of a name, and is empty where nothing is', () => {
  assert.equal(slugFrom('Über Uns 2026!'), 'uber-uns-2026')
  assert.equal(slugFrom('docs'), 'docs-site')
  assert.equal(slugFrom('日本語'), '')
  assert.equal(slugFrom(''), '')
  assert.equal(slugFrom('a'.repeat(90)).length, 40)
})

test('archives are known by their endings', () => {
  assert.equal(archiveType('Site.ZIP'), 'application/zip')
  assert.equal(archiveType('site.tar.gz'), 'application/gzip')
  assert.equal(archiveType('site.gz'), null)
  assert.equal(archiveType('zip'), null)
})

function folder(paths: string[], leftOut: string[] = []): SiteUpload {
  const files = paths.map((path) => {
    const file = new File([''], path)
    return { path, file, again: async () => file }
  })
  return { kind: 'folder', name: 'site', files, bytes: 0, leftOut }
}

test('a folder without index.html at its root lacks a front page; of an archive nobody knows yet', () => {
  assert.equal(lacksIndexPage(folder(['/index.html'])), false)
  assert.equal(lacksIndexPage(folder(['/docs/index.html', '/Index.html'])), true)
  const archive = archiveSite(new File([''], 'site.zip'))
  assert.ok(archive !== null)
  assert.equal(lacksIndexPage(archive), false)
})

test('what stays behind is named, a few of many, without the project file', () => {
  assert.equal(leftOutWords(folder([], ['/masthead.json'])), null)
  assert.equal(leftOutWords(folder([], ['/.env', '/.git/', '/masthead.json'])), '.env, .git/')
  const many = Array.from({ length: 9 }, (_, n) => `/.${n}`)
  assert.equal(leftOutWords(folder([], many)), '.0, .1, .2, .3, .4, .5 and 3 more')
})
