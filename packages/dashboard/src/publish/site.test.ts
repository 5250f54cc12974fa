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

test('a project is named after its folder, or its archive without the extension', () => {
  assert.equal(projectNameFrom('Acme Handbook'), 'Acme Handbook')
  assert.equal(projectNameFrom('acme.zip'), 'acme')
  assert.equal(projectNameFrom('acme-1.2.tar.gz'), 'acme-1.2')
  assert.equal(projectNameFrom('acme.TGZ'), 'acme')
})

test('a name that is too long is truncated', () => {
  assert.equal(projectNameFrom(`${'a'.repeat(200)}.zip`), 'a'.repeat(80))
  assert.equal(projectNameFrom(`${'a'.repeat(76)}👩‍🚀 launch`), 'a'.repeat(76))
})

test('loose files and output folders of build tools give no name', () => {
  for (const name of [null, 'dist', 'Build', 'out', 'public.zip']) assert.equal(projectNameFrom(name), '')
})

test('a slug is made of the usable characters of a name, and may be empty', () => {
  assert.equal(slugFrom('Über Uns 2026!'), 'uber-uns-2026')
  assert.equal(slugFrom('docs'), 'docs-site')
  assert.equal(slugFrom('日本語'), '')
  assert.equal(slugFrom(''), '')
  assert.equal(slugFrom('a'.repeat(90)).length, 40)
})

test('archives are recognized by their extension', () => {
  assert.equal(archiveType('Site.ZIP'), 'application/zip')
  assert.equal(archiveType('site.tar.gz'), 'application/gzip')
  assert.equal(archiveType('site.gz'), null)
  assert.equal(archiveType('zip'), null)
})

function folder(paths: string[], leftOut: string[] = []): SiteUpload {
  const files = paths.map((path) => {
    const file = new File([''], path)
    return { path, file, reopen: async () => file }
  })
  return { kind: 'folder', name: 'site', files, bytes: 0, leftOut }
}

test('a folder without index.html at its root lacks an index page; an archive is not checked', () => {
  assert.equal(lacksIndexPage(folder(['/index.html'])), false)
  assert.equal(lacksIndexPage(folder(['/docs/index.html', '/Index.html'])), true)
  const archive = archiveSite(new File([''], 'site.zip'))
  assert.ok(archive !== null)
  assert.equal(lacksIndexPage(archive), false)
})

test('left out files are listed up to a maximum', () => {
  assert.equal(leftOutWords(folder([])), null)
  assert.equal(leftOutWords(folder([], ['/.env', '/.git/'])), '.env, .git/')
  const many = Array.from({ length: 9 }, (_, n) => `/.${n}`)
  assert.equal(leftOutWords(folder([], many)), '.0, .1, .2, .3, .4, .5 and 3 more')
})
