import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { temporaryFolder } from '@masthead/testing/temporary-folder.ts'
import { createFileStore } from '../blobs/files/file-store.ts'
import { createInstallation, quiet } from './installation.test-kit.ts'
import { chooseSnapshot } from './snapshot-folder.ts'
import { takeBackup } from './take-backup.ts'

async function orderOf(installation: { dataFolder: string; databaseFile: string }, folder: string) {
  const blobs = await createFileStore(join(installation.dataFolder, 'blobs'))
  const database = { dialect: 'sqlite' as const, file: installation.databaseFile }
  const [version, masterKey, check, keep] = ['0.1.0', null, false, null]
  return { folder, database, blobs, version, masterKey, check, keep, progress: quiet }
}

test('a program that could not restore a backup does not make it, and removes none that it could', async () => {
  await using installation = await createInstallation()
  await using backup = await temporaryFolder()
  await takeBackup(await orderOf(installation, backup.path))
  const { name } = await chooseSnapshot(backup.path, null)
  const rows = new DatabaseSync(installation.databaseFile)
  rows.exec(`insert into migrations (name, at) values ('0999-later', 1)`)
  rows.close()
  await assert.rejects(
    takeBackup({ ...(await orderOf(installation, backup.path)), keep: 1 }),
    /newer version of Masthead \(0999-later\)/,
  )
  assert.equal((await chooseSnapshot(backup.path, null)).name, name)
})
