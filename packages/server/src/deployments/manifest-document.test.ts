import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { test } from 'node:test'
import { temporaryFolder } from '@masthead/testing/temporary-folder.ts'
import { createFileStore } from '../blobs/files/file-store.ts'
import type { Manifest } from './manifest.ts'
import { readManifest, writeManifest } from './manifest-document.ts'

test('a manifest is read as it was written, whatever its paths are', async () => {
  await using folder = await temporaryFolder('masthead-manifest')
  const blobs = await createFileStore(folder.path)
  const paths = [
    '/index.html',
    '/__proto__',
    '/a"b\\c',
    '/ä/😀.html',
    '/\u2028',
    '/7',
    '/1.5',
    '/constructor/x',
  ]
  const manifest: Manifest = new Map(
    paths.map((path, n) => {
      const file = { sha256: hash('sha256', path), size: n * 1e12 }
      const encoded = n % 3 === 1 ? {} : { br: n, gzip: n + 1 }
      return [path, n % 3 === 0 ? file : { ...file, encoded }]
    }),
  )
  await writeManifest(blobs, 'dpl_1', manifest)
  assert.deepEqual(await readManifest(blobs, 'dpl_1'), manifest)
  await writeManifest(blobs, 'dpl_2', new Map())
  assert.deepEqual(await readManifest(blobs, 'dpl_2'), new Map())
})
