import { DatabaseSync } from 'node:sqlite'
import type { BlobStore } from '../blobs/blob-store.ts'
import { OperatorError } from '../kernel/program/process-lifetime.ts'
import { writeStoreId } from '../store-check/store-id.ts'
import { copyAllFiles } from './files/copy-all-files.ts'
import { type FileToCopy, fromStore } from './files/copy-files.ts'
import { countFiles, type FileTotals, installedFiles } from './files/installed-files.ts'
import type { ProgressReport } from './progress-report.ts'
import { claimTarget } from './rows/claim-target.ts'
import { copyRows, digestTarget, finishRows, type RowCopy } from './rows/copy-to-postgres.ts'
import { appliedMigrations, refuseNewerVersion } from './rows/known-version.ts'
import { sqliteReader } from './rows/row-reader.ts'
import { differences, digestTables, stateDigest, totalRows } from './rows/table-digest.ts'
import { copiedTables } from './rows/tables.ts'
import { keepStore, refuseUsedStore, storeIdAt } from './store-of-copy.ts'

export interface MoveOptions {
  progress: ProgressReport
  startOver: boolean
  leaveDamaged: boolean
  /** Take a store over that has the files of another database. */
  useStore?: boolean
}

/** What is copied into PostgreSQL: a SQLite database that nobody writes to, and files from anywhere. */
export interface MoveSource {
  databaseFile: string
  files(rows: DatabaseSync): { list: AsyncIterable<FileToCopy>; totals: FileTotals }
}

/** An installation's own files, still in its store. */
export function filesInStore(store: BlobStore): MoveSource['files'] {
  return (rows) => ({ list: filesFrom(rows, store), totals: countFiles(rows) })
}

async function* filesFrom(rows: DatabaseSync, store: BlobStore): AsyncGenerator<FileToCopy> {
  for await (const file of installedFiles(rows, store)) {
    if (file.kind === 'blob') yield fromStore(store, file)
    else
      yield { kind: 'document', name: file.name, isRequired: file.isRequired, read: async () => file.content }
  }
}

/**
 * Copies rows into PostgreSQL and files into `target` (null: they stay where they are). Interrupted anywhere and run
 * again, it goes on. Until everything is there and equal, no server runs on the new database.
 */
export async function moveInstallation(
  source: MoveSource,
  url: string,
  target: BlobStore | null,
  { progress, startOver, leaveDamaged, useStore = false }: MoveOptions,
): Promise<{ rows: number; tables: number }> {
  const rows = new DatabaseSync(source.databaseFile)
  try {
    const copy = await readSource(rows, progress)
    const total = totalRows(copy.digests)
    await using claimed = await claimTarget(url, { source: stateDigest(copy.digests), startOver })
    const { client, state } = claimed
    if (state === 'taken') {
      const found = await digestTarget(client, progress, total)
      if (differences(copy.digests, found).length > 0) throw takenError()
    } else {
      await copyRows(client, copy, progress)
    }
    if (target === null) {
      await keepStore(rows, client)
    } else {
      const storeId = await storeIdAt(client)
      await refuseUsedStore(target, storeId, { useStore })
      const { list, totals } = source.files(rows)
      await copyAllFiles(list, target, totals, { progress, leaveDamaged })
      await writeStoreId(target, storeId)
      await client.query(`update file_store set written_at = $1 where written_at is null`, [Date.now()])
    }
    if (state === 'copying') await finishRows(client, copy, progress)
    return { rows: total, tables: copiedTables.length }
  } finally {
    rows.close()
  }
}

async function readSource(rows: DatabaseSync, progress: ProgressReport): Promise<RowCopy> {
  refuseNewerVersion(appliedMigrations(rows))
  const source = sqliteReader(rows)
  let total = 0
  for (const table of copiedTables) total += await source.count(table)
  const step = progress.begin({ title: 'Reading rows', unit: 'rows', total })
  const digests = await digestTables(source, step.advance)
  step.end()
  const last = rows.prepare(`select seq from sqlite_sequence where name = 'changes'`).get()
  return { source, digests, lastChange: Number(last?.seq ?? 0) }
}

function takenError(): OperatorError {
  return new OperatorError(
    'The database already holds an installation, and it is not equal to this one. Nothing was changed. Use an empty database.',
  )
}
