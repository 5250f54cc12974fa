import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { temporaryFolder } from '@masthead/testing/temporary-folder.ts'
import type { BlobStore } from '../blobs/blob-store.ts'
import { createFileStore } from '../blobs/files/file-store.ts'
import { removeManifest } from '../deployments/manifest-document.ts'
import { backUp, type Installation, restore, verify } from './backup.test-kit.ts'
import { addUpload, createInstallation, storedFiles } from './installation.test-kit.ts'

test('files that are swept between the rows and the copy are no fault', async () => {
  await using installation = await createInstallation({ accounts: 1 })
  await using backup = await temporaryFolder()
  const store = await createFileStore(join(installation.dataFolder, 'blobs'))
  const rows = new DatabaseSync(installation.databaseFile)
  // As if the deployment was removed and swept right after the rows were read.
  let isSwept = false
  const blobs: BlobStore = {
    ...store,
    async readDocument(name) {
      if (!isSwept) {
        isSwept = true
        rows.exec(`delete from deployments where id = 'dpl_0x0'`)
        for (const { sha256 } of rows.prepare('select sha256 from blobs').all()) {
          const gone = String(sha256)
          if (await isNamedBy(installation, 'dpl_0x1', gone)) continue
          rows.prepare('delete from blobs where sha256 = ?').run(gone)
          await store.remove({ accountId: 'acc_0', sha256: gone })
          await store.remove({ accountId: 'acc_0', sha256: gone, encoding: 'gzip' })
        }
        await store.removeDocument('manifests/dpl_0x0.json')
      }
      return store.readDocument(name)
    },
  }
  const { manifest } = await backUp(installation, { folder: backup.path, blobs })
  rows.close()
  assert.deepEqual([manifest.lost, manifest.tables.deployments?.rows], [[], 1])
  assert.deepEqual(await verify(backup.path), [])
})

test('a backup ends although deployments are removed all the time', async () => {
  await using installation = await createInstallation({ accounts: 1, deploymentsPerAccount: 6 })
  await using backup = await temporaryFolder()
  const store = await createFileStore(join(installation.dataFolder, 'blobs'))
  const rows = new DatabaseSync(installation.databaseFile)
  // Whenever the rows were read, one more is removed and swept.
  const first = 'manifests/dpl_0x0.json'
  let removed = 0
  const blobs: BlobStore = {
    ...store,
    async readDocument(name) {
      if (name === first && removed < 5) {
        // The second one has rules.
        const id = `dpl_0x${[2, 1, 3, 4, 5][removed++]}`
        for (const { sha256 } of rows.prepare('select sha256 from blobs').all()) {
          const gone = String(sha256)
          if (!(await isNamedBy(installation, id, gone)) || (await isNamedBy(installation, 'dpl_0x0', gone)))
            continue
          rows.prepare('delete from blobs where sha256 = ?').run(gone)
          await store.remove({ accountId: 'acc_0', sha256: gone })
          await store.remove({ accountId: 'acc_0', sha256: gone, encoding: 'gzip' })
        }
        rows.prepare('delete from deployments where id = ?').run(id)
        for (const ending of ['rules.json', 'json']) await store.removeDocument(`manifests/${id}.${ending}`)
      }
      return store.readDocument(name)
    },
  }
  const { manifest } = await backUp(installation, { folder: backup.path, blobs })
  rows.close()
  // It misses the first one, and has the second one from the first attempt.
  assert.deepEqual([removed, manifest.lost, manifest.tables.deployments?.rows], [2, [], 5])
  assert.deepEqual(await verify(backup.path), [])
  const restored = join(backup.path, 'restored')
  await restore(backup.path, restored)
  const files = await storedFiles(join(restored, 'blobs'))
  for (const [path, content] of installation.files)
    if (path.includes('0x1')) assert.deepEqual(files.get(path), content, path)
})

test('a deployment that is removed between its manifest and its rules is not kept without them', async () => {
  await using installation = await createInstallation({ accounts: 1 })
  await using backup = await temporaryFolder()
  const store = await createFileStore(join(installation.dataFolder, 'blobs'))
  // So that none of its files is missing.
  await backUp(installation, { folder: backup.path })
  const rows = new DatabaseSync(installation.databaseFile)
  const blobs: BlobStore = {
    ...store,
    async readDocument(name) {
      const content = await store.readDocument(name)
      if (name === 'manifests/dpl_0x1.json' && content !== null) {
        rows.exec(`delete from deployments where id = 'dpl_0x1'`)
        await removeManifest(store, 'dpl_0x1')
      }
      return content
    },
  }
  const { manifest } = await backUp(installation, { folder: backup.path, blobs })
  rows.close()
  assert.deepEqual([manifest.lost, manifest.tables.deployments?.rows], [[], 1])
})

test('an upload that has no manifest yet is no fault', async () => {
  await using installation = await createInstallation({ accounts: 1 })
  await using backup = await temporaryFolder()
  addUpload(installation)
  const { manifest } = await backUp(installation, { folder: backup.path })
  assert.deepEqual([manifest.lost, manifest.tables.deployments?.rows], [[], 3])
  assert.deepEqual(await verify(backup.path), [])
  await restore(backup.path, join(backup.path, 'restored'))
})

async function isNamedBy({ dataFolder }: Installation, deployment: string, sha256: string): Promise<boolean> {
  const text = await readFile(join(dataFolder, `blobs/documents/manifests/${deployment}.json`), 'utf8')
  return text.includes(sha256)
}
