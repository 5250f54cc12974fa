import { hash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { chmod, open, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { type BlobStore, blobPath, documentPath } from '../blobs/blob-store.ts'
import { ownDataFolder } from '../database/data-folder-lock.ts'
import type { DatabaseLocation } from '../database/database.ts'
import { isStorageFull } from '../database/database-errors.ts'
import { makeFolder } from '../kernel/program/make-folder.ts'
import { OperatorError } from '../kernel/program/process-lifetime.ts'
import { createSecretFile } from '../secrets/key-files.ts'
import { checkBackupFolder, markBackupFolder } from './backup-folder.ts'
import { forEachOf } from './files/copy-all-files.ts'
import { FileList } from './files/file-list.ts'
import { countFiles, type FileTotals, type InstalledFile, installedFiles } from './files/installed-files.ts'
import { digestContent, isMissing, readContent, type StoredContent } from './files/read-content.ts'
import { StoredFiles } from './files/stored-files.ts'
import type { ProgressReport } from './progress-report.ts'
import { clearInterrupted, pruneBackup } from './prune-backup.ts'
import { identifyInstallation } from './rows/installation-identity.ts'
import { sqliteReader } from './rows/row-reader.ts'
import { snapshotRows } from './rows/snapshot-rows.ts'
import { digestTables } from './rows/table-digest.ts'
import {
  backupFormat,
  createSnapshotFolder,
  listSnapshots,
  type SnapshotFolder,
  type SnapshotManifest,
} from './snapshot-folder.ts'

export interface BackupInput {
  folder: string
  database: DatabaseLocation
  blobs: BlobStore
  /** Of this program. */
  version: string
  /** The text of the master key; null: the backup is without it. */
  masterKey: string | null
  /** Read what earlier backups copied, and copy it again where it is damaged. */
  check: boolean
  /** How many complete snapshots to keep; null: all. */
  keep: number | null
  progress: ProgressReport
}

export interface BackupResult {
  name: string
  manifest: SnapshotManifest
  added: FileTotals
  /** Other snapshots in the folder that are damaged. Files that nobody needs any more stay because of them. */
  unreadable: SnapshotFolder[]
}

const atOnce = 16

/** Copies the rows of one moment and every file that they name, while servers run. */
export async function takeBackup(input: BackupInput): Promise<BackupResult> {
  const { folder } = input
  const installation = await identifyInstallation(input.database)
  await checkBackupFolder(folder, installation)
  await makeFolder(folder, 0o700)
  await chmod(folder, 0o700)
  const lock = ownDataFolder(folder)
  if (lock === null) throw new OperatorError(`Another command is using ${folder}. Wait until it has ended.`)
  try {
    await markBackupFolder(folder, installation)
    await clearInterrupted(folder)
    const earlier = await listSnapshots(folder)
    const snapshot = await createSnapshotFolder(folder, new Date())
    const stored = new StoredFiles(join(folder, 'files'))
    const lost = await copyInstallation(input, snapshot, stored, earlier)
    if (input.masterKey !== null) await createSecretFile(snapshot.masterKeyFile, input.masterKey)
    const manifest = await describe(input, snapshot, lost)
    await snapshot.complete(manifest)
    // Earlier snapshots may have what is lost.
    const unreadable =
      lost.length === 0 ? await pruneBackup(folder, { keep: input.keep, made: snapshot.name }) : []
    return { name: snapshot.name, manifest, added: stored.added, unreadable }
  } catch (error) {
    // A server may need the space, and what was copied is no backup yet.
    if (isStorageFull(error)) await pruneBackup(folder, { keep: null, made: '' }).catch(() => {})
    throw error
  } finally {
    lock.release()
  }
}

/**
 * The sweep may remove files of a deployment that was deleted after the rows were read. Then we read the rows again:
 * they no longer name them, and the files that we have stay, also for a deployment that is removed the next time: on a
 * busy server there always is one. What is missing twice in a row is lost.
 */
async function copyInstallation(
  input: BackupInput,
  snapshot: SnapshotFolder,
  stored: StoredFiles,
  earlier: readonly SnapshotFolder[],
): Promise<string[]> {
  let missing: string[] | null = null
  for (;;) {
    await rm(snapshot.rowsFile, { force: true })
    if (missing !== null) await rename(snapshot.listFile, snapshot.attemptFile)
    await snapshotRows(input.database, snapshot.rowsFile, input.progress)
    const now = await copyFiles(input, snapshot, stored, earlier)
    await rm(snapshot.attemptFile, { force: true })
    if (now.length === 0 || (missing !== null && now.every((path) => missing?.includes(path)))) return now
    missing = now
  }
}

/** Returns the paths of the files that should be there and are not, or are damaged. */
async function copyFiles(
  { blobs, check, progress }: BackupInput,
  snapshot: SnapshotFolder,
  stored: StoredFiles,
  earlier: readonly SnapshotFolder[],
): Promise<string[]> {
  const attempt = existsSync(snapshot.attemptFile) ? FileList.open(snapshot.attemptFile) : null
  const lists = [...(attempt === null ? [] : [attempt]), ...openLists(earlier)]
  const rows = new DatabaseSync(snapshot.rowsFile)
  const list = FileList.create(snapshot.listFile)
  const missing: string[] = []
  const { files, bytes } = countFiles(rows)
  const step = progress.begin({
    title: check ? 'Checking and copying files' : 'Copying new files',
    unit: 'files',
    total: files,
    bytes,
  })
  try {
    await forEachOf(installedFiles(rows, { readDocument }), atOnce, async (file) => {
      const content = await store(file)
      if (content === null) {
        if (file.isRequired) missing.push(file.kind === 'blob' ? blobPath(file.key) : documentPath(file.name))
      } else {
        list.add({ ...file, stored: content })
      }
      const isForm = file.kind === 'blob' && file.key.encoding !== undefined
      if (file.isRequired && !isForm) step.advance(1, file.kind === 'blob' ? file.size : 0)
    })
  } finally {
    list.close()
    rows.close()
    for (const one of lists) one.close()
  }
  await stored.sync()
  step.end()
  return missing

  async function readDocument(name: string): Promise<Buffer | null> {
    const content = await blobs.readDocument(name)
    const copied = content === null ? (attempt?.findDocument(name) ?? null) : null
    return copied === null ? content : stored.readAll(copied)
  }

  /** Null if it is missing or damaged. */
  async function store(file: InstalledFile): Promise<StoredContent | null> {
    if (file.kind === 'document') return file.content === null ? null : storeDocument(file.content)
    const { key, size } = file
    const expected = key.encoding === undefined ? { sha256: key.sha256, size } : earlierForm(file)
    if (expected !== null && (await stored.holds(expected, { check }))) return expected
    try {
      const sha256 = key.encoding === undefined ? key.sha256 : undefined
      const written = await stored.add(readContent(blobs, key, size), sha256)
      return sha256 === undefined || written.sha256 === sha256 ? written : null
    } catch (error) {
      if (isMissing(error)) return null
      throw error
    }
  }

  async function storeDocument(content: Buffer): Promise<StoredContent> {
    const known = { sha256: hash('sha256', content), size: content.byteLength }
    return (await stored.holds(known, { check })) ? known : stored.add([content])
  }

  /** Compressed forms never change, so one that an earlier backup has need not be read again. */
  function earlierForm({
    key,
    size,
  }: {
    key: Parameters<FileList['find']>[0]
    size: number
  }): StoredContent | null {
    for (const one of lists) {
      const found = findIn(one, key)
      if (found?.size === size) return found
    }
    return null
  }
}

/** Null, too, if this part of the list is damaged: then the file is read again. */
function findIn(list: FileList, key: Parameters<FileList['find']>[0]): StoredContent | null {
  try {
    return list.find(key)
  } catch {
    return null
  }
}

/** Newest first. Those of interrupted backups may be unreadable. */
function openLists(earlier: readonly SnapshotFolder[]): FileList[] {
  return earlier.toReversed().flatMap(({ listFile }) => {
    try {
      const list = FileList.open(listFile)
      list.totals()
      return [list]
    } catch {
      return []
    }
  })
}

async function describe(
  { database, version, masterKey }: BackupInput,
  snapshot: SnapshotFolder,
  lost: string[],
): Promise<SnapshotManifest> {
  const rows = new DatabaseSync(snapshot.rowsFile)
  const tables = await digestTables(sqliteReader(rows))
  rows.close()
  const list = FileList.open(snapshot.listFile)
  const { files, bytes } = list.totals()
  const digest = list.digest()
  list.close()
  for (const file of [snapshot.rowsFile, snapshot.listFile]) await protectAndSync(file)
  return {
    format: backupFormat,
    version,
    createdAt: new Date().toISOString(),
    from: database.dialect,
    tables,
    rowsSha256: (await digestContent(fileContent(snapshot.rowsFile))).sha256,
    files: { count: files, bytes, digest },
    lost: lost.sort(),
    hasMasterKey: masterKey !== null,
  }
}

async function* fileContent(path: string): AsyncGenerator<Uint8Array> {
  await using file = await open(path, 'r')
  yield* file.createReadStream({ autoClose: false, highWaterMark: 1024 * 1024 })
}

async function protectAndSync(path: string): Promise<void> {
  await using file = await open(path, 'r+')
  await file.chmod(0o600)
  await file.sync()
}
