import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { webFileExtensions } from './web-files.ts'

test('the guide lists the extensions that are no views of a single-page app', () => {
  const guide = readFileSync(new URL('../../../../docs/serving.md', import.meta.url), 'utf8')
  const [, listed = ''] = /These extensions are never views: (.*?)\.$/m.exec(guide) ?? []
  const extensions = [...listed.matchAll(/`([a-z0-9]+)`/g)].map(([, name]) => name)
  assert.deepEqual(extensions, [...webFileExtensions])
})
