import { join } from 'node:path'
import type { BlobStore } from '../blobs/blob-store.ts'
import { createFileStore } from '../blobs/files/file-store.ts'
import type { DatabaseLocation } from '../database/database.ts'
import { type createInstallation, quiet } from './installation.test-kit.ts'
import { restoreBackup } from './restore-backup.ts'
import { chooseSnapshot } from './snapshot-folder.ts'
import { takeBackup } from './take-backup.ts'
import { verifyBackup } from './verify-backup.ts'

export type Installation = Awaited<ReturnType<typeof createInstallation>>

interface BackedUp {
  folder: string
  blobs?: BlobStore
  database?: DatabaseLocation
  keep?: number
  check?: boolean
}

export async function backUp(installation: Installation, { folder, blobs, database, keep, check }: BackedUp) {
  return takeBackup({
    folder,
    database: database ?? { dialect: 'sqlite', file: installation.databaseFile },
    blobs: blobs ?? (await createFileStore(join(installation.dataFolder, 'blobs'))),
    version: '0.1.0',
    masterKey: null,
    check: check ?? false,
    keep: keep ?? null,
    progress: quiet,
  })
}

export const options = { progress: quiet, startOver: false, leaveDamaged: false }

export async function restore(
  folder: string,
  dataFolder: string,
  database?: DatabaseLocation,
  name?: string,
) {
  const blobs = await createFileStore(join(dataFolder, 'blobs'))
  const target = { dataFolder, blobs, database: database ?? sqliteIn(dataFolder) }
  await restoreBackup(folder, await chooseSnapshot(folder, name ?? null), target, options)
}

export const sqliteIn = (dataFolder: string): DatabaseLocation => ({
  dialect: 'sqlite',
  file: join(dataFolder, 'masthead.db'),
})

export const verify = async (folder: string, name?: string) =>
  verifyBackup(folder, await chooseSnapshot(folder, name ?? null), quiet)
