import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ignoredPart, isControlFile, isIgnored } from './deployments.ts'

test('hidden files and installed packages are not published, at any depth', () => {
  for (const name of ['.git', '.env', '.DS_Store', 'node_modules', 'Thumbs.db', '__MACOSX', 'Icon\r']) {
    assert.equal(isIgnored(name), true, name)
  }
})

test('.well-known is published although it is hidden', () => {
  assert.equal(isIgnored('.well-known'), false)
})

test('the first part of a path that is not published is named', () => {
  for (const [path, part] of [
    ['/.env', '/.env'],
    ['/docs/.git/HEAD', '/docs/.git/'],
    ['/node_modules/a/node_modules/b.js', '/node_modules/'],
    ['/masthead.json', null],
    ['/.well-known/security.txt', null],
    ['/.well-known/.hidden', '/.well-known/.hidden'],
    ['/index.html', null],
  ] as const) {
    assert.equal(ignoredPart(path), part, path)
  }
})

test('files that configure a site are never served from its root, however they are written', () => {
  for (const path of [
    ...['/_redirects', '/_headers', '/_HEADERS', '/netlify.toml', '/vercel.json', '/masthead.json'],
    ...['/masthead.yaml', '/masthead.yml', '/.nojekyll', '/CNAME', '/cname', '/Netlify.toml'],
    ...['/_routes.json', '/_worker.js', '/_Worker.JS'],
  ]) {
    assert.equal(isControlFile(path), true, path)
    assert.equal(isControlFile(`/docs${path}`), false, path)
    assert.equal(isControlFile(`${path}.html`), false, path)
  }
  assert.equal(isControlFile('/_worker.js/chunks/server.mjs'), true)
  assert.equal(isControlFile('/_routes.json/index.html'), false)
})
