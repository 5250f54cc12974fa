import { existsSync } from 'node:fs'
import { copyFile, mkdir, open, readdir, rename, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { BlobStore } from '../blobs/blob-store.ts'
import { type DatabaseLocation, openDatabase } from '../database/database.ts'
import { isDamaged } from '../database/database-errors.ts'
import { refuseLeftLog } from '../database/sqlite.ts'
import { OperatorError } from '../kernel/program/process-lifetime.ts'
import { writeStoreId } from '../store-check/store-id.ts'
import { findBackupOwner } from './backup-folder.ts'
import { copyAllFiles, shortList } from './files/copy-all-files.ts'
import type { FileToCopy } from './files/copy-files.ts'
import { FileList } from './files/file-list.ts'
import { StoredFiles, syncFolder } from './files/stored-files.ts'
import { type MoveOptions, type MoveSource, moveInstallation } from './move-installation.ts'
import { sqliteReader } from './rows/row-reader.ts'
import { differences, digestTables, type TableDigests } from './rows/table-digest.ts'
import { findWithoutLosses, type SnapshotFolder } from './snapshot-folder.ts'
import { refuseUsedStore, storeIdIn } from './store-of-copy.ts'
import { checkSnapshot } from './verify-backup.ts'

export interface RestoreTarget {
  dataFolder: string
  database: DatabaseLocation
  blobs: BlobStore
}

/**
 * Puts a snapshot into an empty installation, on either database. Interrupted anywhere and run again, it goes on. An
 * older version's rows are brought up to date first, in a copy.
 */
export async function restoreBackup(
  backup: string,
  snapshot: SnapshotFolder,
  { dataFolder, database, blobs }: RestoreTarget,
  options: MoveOptions,
): Promise<void> {
  const manifest = await snapshot.readManifest()
  await checkSnapshot(backup, snapshot, manifest)
  if (manifest.lost.length > 0 && !options.leaveDamaged)
    throw new OperatorError(await lossText(backup, snapshot, manifest.lost))
  const rowsFile = join(dataFolder, `restoring-${manifest.rowsSha256}.db`)
  await removeOtherDrafts(rowsFile)
  if (!existsSync(rowsFile)) await prepareRows(snapshot, rowsFile, await findBackupOwner(backup))
  const source: MoveSource = { databaseFile: rowsFile, files: () => filesOf(backup, snapshot) }
  try {
    if (database.dialect === 'postgres') await moveInstallation(source, database.url, blobs, options)
    else await restoreIntoSqlite(source, database.file, blobs, options)
  } finally {
    await rm(rowsFile, { force: true })
  }
}

async function lossText(backup: string, { name }: SnapshotFolder, lost: readonly string[]): Promise<string> {
  const whole = await findWithoutLosses(backup)
  return [
    `The snapshot ${name} lacks files that were already missing or damaged when it was made (${lost.length}):`,
    ...shortList(lost.map((path) => `  ${path}`)),
    whole === null
      ? 'No snapshot in this folder has all files.'
      : `The newest snapshot with all files is ${whole.name}. To restore it, add: --snapshot ${whole.name}`,
    `Or run this with --leave-damaged to restore ${name}: the addresses of these files are then broken until you run`,
    'masthead-server check-files and they are published again.',
  ].join('\n')
}

/** The database gets its name last, so until then there is no installation. */
async function restoreIntoSqlite(
  { databaseFile, files }: MoveSource,
  target: string,
  blobs: BlobStore,
  { progress, leaveDamaged, useStore = false }: MoveOptions,
): Promise<void> {
  if (existsSync(target)) await checkSame(databaseFile, target)
  else refuseLeftLog(target)
  const storeId = readStoreRow(existsSync(target) ? target : databaseFile)
  await refuseUsedStore(blobs, storeId, { useStore })
  const rows = new DatabaseSync(databaseFile)
  try {
    const { list, totals } = files(rows)
    await copyAllFiles(list, blobs, totals, { progress, leaveDamaged })
    await writeStoreId(blobs, storeId)
    rows.exec(`update file_store set written_at = ${Date.now()}`)
  } finally {
    rows.close()
  }
  if (existsSync(target)) return
  await rename(databaseFile, target)
  await syncFolder(dirname(target))
}

/** An earlier run may have finished. Anything else is somebody's installation. */
async function checkSame(restored: string, target: string): Promise<void> {
  const found = await digestsOf(target).catch((error: unknown) => {
    throw isDamaged(error) ? damagedTarget(target) : error
  })
  if (differences(await digestsOf(restored), found).length === 0) return
  throw new OperatorError(
    `${target} already holds an installation. Nothing was changed. Set MASTHEAD_DATA to an empty folder.`,
  )
}

function damagedTarget(target: string): OperatorError {
  return new OperatorError(
    `${target} is damaged, and a restore never replaces a database. Nothing was changed. Move ${target}, ` +
      `${basename(target)}-wal and ${basename(target)}-shm to another folder, then run this again with --use-store: the ` +
      'files of the sites stay, and only missing ones are copied.',
  )
}

async function digestsOf(file: string): Promise<TableDigests> {
  const rows = new DatabaseSync(file)
  try {
    return await digestTables(sqliteReader(rows))
  } finally {
    rows.close()
  }
}

const draftName = /^restoring-.+\.db(\.draft)?(-journal|-wal|-shm)?$/

/** Of restores that were interrupted. Snapshots of two installations may have the same name. */
async function removeOtherDrafts(rowsFile: string): Promise<void> {
  const folder = dirname(rowsFile)
  await mkdir(folder, { recursive: true, mode: 0o700 })
  for (const name of await readdir(folder))
    if (draftName.test(name) && !name.startsWith(basename(rowsFile))) await rm(join(folder, name))
}

async function prepareRows(snapshot: SnapshotFolder, file: string, owner: string | null): Promise<void> {
  const draft = `${file}.draft`
  for (const ending of ['', '-wal', '-shm']) await rm(`${draft}${ending}`, { force: true })
  await copyFile(snapshot.rowsFile, draft)
  forgetServers(draft)
  await (await openDatabase({ dialect: 'sqlite', file: draft }, { warn: () => {} })).close()
  if (owner !== null) addInstallationId(draft, owner)
  forgetStore(draft)
  await using handle = await open(draft, 'r+')
  await handle.sync()
  await rename(draft, file)
}

/** Those that ran when the backup was made do not use this copy. */
function forgetServers(file: string): void {
  const rows = new DatabaseSync(file)
  const isThere = rows.prepare(`select 1 from sqlite_schema where name = 'live_versions'`).get() !== undefined
  if (isThere) rows.exec('delete from live_versions')
  rows.close()
}

/** A snapshot from before there was an id belongs to the installation that made the later ones. */
function addInstallationId(file: string, id: string): void {
  const rows = new DatabaseSync(file)
  rows.prepare('insert into installation select ?, 0 where not exists (select 1 from installation)').run(id)
  rows.close()
}

/** The files go to another store than that of the installation that was backed up. */
function forgetStore(file: string): void {
  const rows = new DatabaseSync(file)
  rows.exec('delete from file_store')
  rows.close()
}

function readStoreRow(file: string): string {
  const rows = new DatabaseSync(file)
  try {
    return storeIdIn(rows)
  } finally {
    rows.close()
  }
}

function filesOf(backup: string, snapshot: SnapshotFolder): ReturnType<MoveSource['files']> {
  const list = FileList.open(snapshot.listFile)
  const totals = list.totals()
  list.close()
  return { list: storedFilesOf(backup, snapshot), totals }
}

async function* storedFilesOf(backup: string, { listFile }: SnapshotFolder): AsyncGenerator<FileToCopy> {
  const stored = new StoredFiles(join(backup, 'files'))
  const list = FileList.open(listFile)
  try {
    for (const file of list.all()) {
      const { size } = file.stored
      const open = () => stored.read(file.stored)
      const isRequired = true
      if (file.kind === 'blob')
        yield { kind: 'blob', key: file.key, size, isRequired, expected: file.stored, open }
      else yield { kind: 'document', name: file.name, isRequired, read: () => stored.readAll(file.stored) }
    }
  } finally {
    list.close()
  }
}
