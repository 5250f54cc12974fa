import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { BlobStore } from '../blobs/blob-store.ts'
import { createFileStore } from '../blobs/files/file-store.ts'
import type { Config } from '../config/config.ts'
import { type DataFolderLock, ownDataFolder } from '../database/data-folder-lock.ts'
import { OperatorError } from '../kernel/process-lifetime.ts'
import { openDataFolder } from '../start/open-storage.ts'

export const silentLog = { warn: () => {} }

export type InstallationConfig = Pick<Config, 'dataFolder' | 'databaseUrl' | 'masterKey' | 'operatorKey'>

export function databaseFile({ dataFolder }: Pick<Config, 'dataFolder'>): string {
  return join(dataFolder, 'masthead.db')
}

export function checkDataFolder({ dataFolder }: Pick<Config, 'dataFolder'>): void {
  if (!existsSync(dataFolder))
    throw new OperatorError(`The folder ${dataFolder} does not exist. Run this with the server's settings.`)
}

/** For a command that needs the data folder alone. */
export async function takeDataFolder(dataFolder: string): Promise<DataFolderLock> {
  await openDataFolder(dataFolder, silentLog)
  const lock = ownDataFolder(dataFolder)
  if (lock !== null) return lock
  throw new OperatorError(
    `A server is running with ${dataFolder}, or another command is using it. Stop the server and run this again.`,
  )
}

/** The files of an installation. */
export function openBlobs({ dataFolder }: Pick<Config, 'dataFolder'>): Promise<BlobStore> {
  return createFileStore(join(dataFolder, 'blobs'))
}

export function openBlobFolder(folder: string): Promise<BlobStore> {
  return createFileStore(resolve(folder))
}
