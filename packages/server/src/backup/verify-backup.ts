import { createReadStream } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { OperatorError } from '../kernel/program/process-lifetime.ts'
import { forEachOf } from './files/copy-all-files.ts'
import { type BackedUpFile, FileList, listedPath } from './files/file-list.ts'
import { digestContent, isMissing } from './files/read-content.ts'
import { StoredFiles } from './files/stored-files.ts'
import type { ProgressReport } from './progress-report.ts'
import { appliedMigrations, refuseNewerVersion } from './rows/known-version.ts'
import { sqliteReader } from './rows/row-reader.ts'
import { differences, digestTables } from './rows/table-digest.ts'
import type { SnapshotFolder, SnapshotManifest } from './snapshot-folder.ts'

const atOnce = 8

/** What is wrong with a snapshot, one line each: every table's rows and every file's content are read. */
export async function verifyBackup(
  backup: string,
  snapshot: SnapshotFolder,
  progress: ProgressReport,
): Promise<string[]> {
  const manifest = await snapshot.readManifest()
  return [
    ...(await rowFaults(snapshot, manifest)),
    ...(await fileFaults(backup, snapshot, manifest, progress)),
    ...manifest.lost.map((path) => `${path} was already missing or damaged when the backup was made.`),
  ]
}

async function rowFaults(snapshot: SnapshotFolder, manifest: SnapshotManifest): Promise<string[]> {
  try {
    await checkRowsFile(snapshot, manifest)
  } catch (error) {
    if (error instanceof OperatorError) return [error.message]
    throw error
  }
  const rows = new DatabaseSync(snapshot.rowsFile, { readOnly: true })
  try {
    return differences(manifest.tables, { ...manifest.tables, ...(await digestTables(sqliteReader(rows))) })
  } finally {
    rows.close()
  }
}

/** Throws unless the rows are what was written, by a version that this program understands. */
export async function checkRowsFile(
  { name, rowsFile }: SnapshotFolder,
  { rowsSha256 }: SnapshotManifest,
): Promise<void> {
  const found = await digestContent(createReadStream(rowsFile)).catch((error: unknown) => {
    if (isMissing(error)) return null
    throw error
  })
  if (found?.sha256 !== rowsSha256)
    throw new OperatorError(
      `The rows of the snapshot ${name} are ${found === null ? 'missing' : 'damaged'} (${rowsFile}).`,
    )
  const rows = new DatabaseSync(rowsFile, { readOnly: true })
  try {
    refuseNewerVersion(appliedMigrations(rows))
  } finally {
    rows.close()
  }
}

async function fileFaults(
  backup: string,
  { listFile }: SnapshotFolder,
  manifest: SnapshotManifest,
  progress: ProgressReport,
): Promise<string[]> {
  const stored = new StoredFiles(join(backup, 'files'))
  const list = openList(listFile)
  if (list === null) return [`The list of files is missing or damaged (${listFile}).`]
  const faults: string[] = []
  try {
    const { files, bytes } = list.totals()
    if (files !== manifest.files.count || list.digest() !== manifest.files.digest)
      faults.push(`The list of files is not the one that was written (${listFile}).`)
    const step = progress.begin({ title: 'Checking files', unit: 'files', total: files, bytes })
    await forEachOf(inTurn(list.all()), atOnce, async (file) => {
      const fault = await faultOf(stored, file)
      if (fault !== null) faults.push(`${listedPath(file)} is ${fault}.`)
      step.advance(1, file.stored.size)
    })
    step.end()
  } finally {
    list.close()
  }
  return faults
}

function openList(file: string): FileList | null {
  try {
    return FileList.open(file)
  } catch {
    return null
  }
}

async function faultOf(files: StoredFiles, { stored }: BackedUpFile): Promise<string | null> {
  const { sha256 } = stored
  try {
    const found = await digestContent(files.read(stored))
    return found.sha256 === sha256 ? null : `damaged (files/${sha256.slice(0, 2)}/${sha256})`
  } catch (error) {
    if (isMissing(error)) return 'missing'
    throw error
  }
}

async function* inTurn<T>(items: Iterable<T>): AsyncGenerator<T> {
  yield* items
}
