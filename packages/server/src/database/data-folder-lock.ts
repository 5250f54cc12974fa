import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { StartError } from '../kernel/program/process-lifetime.ts'
import { isDamaged } from './database-errors.ts'

/**
 * Who uses the data folder: any number of servers, or one command that needs it alone. Taken through SQLite, on a file
 * that stays empty, because Node has no file locks of its own. The system releases them however a process ends.
 */
export interface DataFolderLock {
  release(): void
}

const busy = 5
const shared = 'begin; select count(*) from sqlite_schema'

/** `isUnused` has the folder alone for a moment. */
const momentMs = 1_000

/** For servers, and commands that may run next to them. */
export function shareDataFolder(folder: string): DataFolderLock {
  const lock = tryLock(folder, shared, momentMs)
  if (lock !== null) return lock
  throw new StartError(
    `Another command of masthead-server (move or restore) is using ${folder}. Start again when it is done.`,
  )
}

/** Null while a command has the folder alone. */
export function tryToShare(folder: string): DataFolderLock | null {
  return tryLock(folder, shared)
}

/** Null while a server or another such command uses the folder. */
export function ownDataFolder(folder: string): DataFolderLock | null {
  return tryLock(folder, 'begin exclusive')
}

/** Whether no process uses the folder now. */
export function isUnused(folder: string): boolean {
  const lock = ownDataFolder(folder)
  lock?.release()
  return lock !== null
}

function tryLock(folder: string, statements: string, timeout = 0): DataFolderLock | null {
  const database = new DatabaseSync(join(folder, 'in-use.lock'), { timeout })
  try {
    database.exec(statements)
    return { release: () => database.close() }
  } catch (error) {
    database.close()
    if ((error as { errcode?: number }).errcode === busy) return null
    throw error
  }
}

/** Whether another process has a SQLite database open. Finds servers from before there was a lock on the folder. */
export function isOpenElsewhere(file: string): boolean {
  if (!existsSync(file)) return false
  const database = new DatabaseSync(file, { timeout: 0 })
  try {
    database.exec('pragma locking_mode = exclusive')
    database.exec('begin exclusive; commit')
    return false
  } catch (error) {
    if ((error as { errcode?: number }).errcode === busy) return true
    if (isDamaged(error)) return false
    throw error
  } finally {
    database.close()
  }
}
