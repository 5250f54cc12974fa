import { existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { Config } from '../config/config.ts'
import {
  type DataFolderLock,
  isOpenElsewhere,
  ownDataFolder,
  tryToShare,
} from '../database/data-folder-lock.ts'
import { OperatorError } from '../kernel/program/process-lifetime.ts'
import { openDataFolder, openStorage, type Storage } from '../start/open-storage.ts'

export const silentLog = { warn: () => {} }

export function databaseFile({ dataFolder }: Pick<Config, 'dataFolder'>): string {
  return join(dataFolder, 'masthead.db')
}

export function checkDataFolder({ dataFolder }: Pick<Config, 'dataFolder'>): void {
  if (!existsSync(dataFolder))
    throw new OperatorError(`The folder ${dataFolder} does not exist. Run this with the server's settings.`)
}

/** What the server has created. Its folder may have been there before. */
const created = ['masthead.db', 'blobs', '.']

/**
 * What root writes in the data folder, the server's user could not read afterwards. Other users cannot write there
 * anyway.
 */
export function refuseAsRoot(dataFolder: string): void {
  if (process.getuid?.() !== 0) return
  const found = created.map((name) => statSync(join(dataFolder, name), { throwIfNoEntry: false }))
  const owner = found.find((stats) => stats !== undefined)?.uid ?? 0
  if (owner === 0) return
  throw new OperatorError(
    `${dataFolder} belongs to the user with the id ${owner}, who could not use what root writes there. Nothing was ` +
      `changed. Run this as that user, with the server's settings: sudo -u '#${owner}' npx masthead-server …`,
  )
}

/** For a command that may run beside the server. */
export async function withStorage<T>(config: Config, work: (storage: Storage) => Promise<T>): Promise<T> {
  checkDataFolder(config)
  refuseAsRoot(config.dataFolder)
  const storage = await openStorage(config, silentLog)
  try {
    return await work(storage)
  } finally {
    await storage.close()
  }
}

/** For a command that needs the data folder alone. */
export async function takeDataFolder(dataFolder: string): Promise<DataFolderLock> {
  refuseAsRoot(dataFolder)
  await openDataFolder(dataFolder, silentLog)
  const lock = ownDataFolder(dataFolder)
  const isOpen = lock !== null && isOpenElsewhere(databaseFile({ dataFolder }))
  if (lock !== null && !isOpen) return lock
  lock?.release()
  throw new OperatorError(
    `A server is running with ${dataFolder}, or another command is using it. Stop the server and run this again.`,
  )
}

/** A backup that is being read must not be thinned out. Without a lock, if it is where nobody can write. */
export function shareBackup(folder: string): DataFolderLock {
  try {
    const lock = tryToShare(folder)
    if (lock !== null) return lock
  } catch {
    return { release: () => {} }
  }
  throw new OperatorError(`A backup into ${folder} is running. Wait until it has ended.`)
}
