import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { test } from 'node:test'
import { temporaryFolder } from '@masthead/testing/temporary-folder.ts'
import { createFileStore } from '../../blobs/files/file-store.ts'
import type { Manifest } from '../manifest.ts'
import { removeManifest, writeManifest } from '../manifest-document.ts'
import { AnnouncedManifests } from './announced-manifests.ts'

function manifestOf(files: number, seed: number): Manifest {
  return new Map(
    Array.from({ length: files }, (_, n) => [
      `/${n}.html`,
      { sha256: hash('sha256', `${seed} ${n}`), size: n },
    ]),
  )
}

const sizesIn = (manifest: Manifest) =>
  new Map(Array.from(manifest.values(), ({ sha256, size }) => [sha256, size]))

test('manifests are the same from memory and from disk, and few are kept', async () => {
  await using folder = await temporaryFolder('masthead-manifests')
  const blobs = await createFileStore(folder.path)
  let reads = 0
  const announced = new AnnouncedManifests({
    readDocument: (name) => {
      reads++
      return blobs.readDocument(name)
    },
  })
  const manifests = Array.from({ length: 5 }, (_, seed) => manifestOf(20_000, seed))
  for (const [n, manifest] of manifests.entries()) {
    await writeManifest(blobs, `dpl_${n}`, manifest)
    announced.keep(`dpl_${n}`, { manifest, isNew: true })
  }
  for (const [n, manifest] of [...manifests.entries()].reverse()) {
    assert.deepEqual((await announced.find(`dpl_${n}`))?.manifest, manifest)
    assert.deepEqual(await announced.sizesOf(`dpl_${n}`), sizesIn(manifest))
  }
  assert.equal(reads, 2, 'three of five are kept')
})

test('requests at the same time read a manifest once', async () => {
  await using folder = await temporaryFolder('masthead-manifests')
  const blobs = await createFileStore(folder.path)
  await writeManifest(blobs, 'dpl_1', manifestOf(10, 1))
  let reads = 0
  const announced = new AnnouncedManifests({
    readDocument: (name) => {
      reads++
      return blobs.readDocument(name)
    },
  })
  await Promise.all(Array.from({ length: 4 }, () => announced.sizesOf('dpl_1')))
  assert.equal(reads, 1)
})

test('one that was removed, or never announced, lists nothing', async () => {
  await using folder = await temporaryFolder('masthead-manifests')
  const blobs = await createFileStore(folder.path)
  const announced = new AnnouncedManifests(blobs)
  const manifest = manifestOf(3, 1)
  await writeManifest(blobs, 'dpl_1', manifest)
  announced.keep('dpl_1', { manifest, isNew: true })
  await removeManifest(blobs, 'dpl_1')
  announced.forget('dpl_1')
  assert.equal(await announced.find('dpl_1'), null)
  assert.equal(await announced.sizesOf('dpl_2'), null)
})
