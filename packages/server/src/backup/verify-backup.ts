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
import { listSnapshots, type SnapshotFolder, type SnapshotManifest } from './snapshot-folder.ts'

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
  const damage = await rowsDamage(snapshot, manifest)
  if (damage !== null) return [damage]
  const rows = new DatabaseSync(snapshot.rowsFile, { readOnly: true })
  try {
    refuseNewerVersion(appliedMigrations(rows))
    return differences(manifest.tables, { ...manifest.tables, ...(await digestTables(sqliteReader(rows))) })
  } catch (error) {
    if (error instanceof OperatorError) return [error.message]
    throw error
  } finally {
    rows.close()
  }
}

/** Throws unless the rows and the list of files are what was written, by a version that this program understands. */
export async function checkSnapshot(
  backup: string,
  snapshot: SnapshotFolder,
  manifest: SnapshotManifest,
): Promise<void> {
  const damage = (await rowsDamage(snapshot, manifest)) ?? listDamage(snapshot, manifest)
  if (damage !== null) throw new OperatorError(`${damage} ${await otherSnapshots(backup, snapshot)}`)
  const rows = new DatabaseSync(snapshot.rowsFile, { readOnly: true })
  try {
    refuseNewerVersion(appliedMigrations(rows))
  } finally {
    rows.close()
  }
}

async function otherSnapshots(backup: string, { name }: SnapshotFolder): Promise<string> {
  const others = (await listSnapshots(backup)).filter((one) => one.isComplete && one.name !== name)
  if (others.length === 0) return 'There is no other snapshot in this folder.'
  return `Restore another one with --snapshot: ${others.map((one) => one.name).join(', ')}.`
}

async function rowsDamage(
  { name, rowsFile }: SnapshotFolder,
  { rowsSha256 }: SnapshotManifest,
): Promise<string | null> {
  const found = await digestContent(createReadStream(rowsFile)).catch((error: unknown) => {
    if (isMissing(error)) return null
    throw error
  })
  if (found?.sha256 === rowsSha256) return null
  return `The rows of the snapshot ${name} are ${found === null ? 'missing' : 'damaged'} (${rowsFile}).`
}

function listDamage({ listFile }: SnapshotFolder, { files }: SnapshotManifest): string | null {
  try {
    using list = FileList.open(listFile)
    if (list.totals().files === files.count && list.digest() === files.digest) return null
    return `The list of files is not the one that was written (${listFile}).`
  } catch {
    return `The list of files is missing or damaged (${listFile}).`
  }
}

async function fileFaults(
  backup: string,
  snapshot: SnapshotFolder,
  manifest: SnapshotManifest,
  progress: ProgressReport,
): Promise<string[]> {
  const damage = listDamage(snapshot, manifest)
  if (damage !== null) return [damage]
  const stored = new StoredFiles(join(backup, 'files'))
  using list = FileList.open(snapshot.listFile)
  const faults: string[] = []
  const { files, bytes } = list.totals()
  const step = progress.begin({ title: 'Checking files', unit: 'files', total: files, bytes })
  await forEachOf(inTurn(list.all()), atOnce, async (file) => {
    const fault = await faultOf(stored, file)
    if (fault !== null) faults.push(`${listedPath(file)} is ${fault}.`)
    step.advance(1, file.stored.size)
  })
  step.end()
  return faults
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
