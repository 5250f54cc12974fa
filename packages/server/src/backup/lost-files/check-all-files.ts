import type { Id } from '@masthead/contract/schemas/fields.ts'
import type { BlobStore } from '../../blobs/blob-store.ts'
import type { Database } from '../../database/database.ts'
import { countFilesToCheck } from '../../deployments/sweep/lost-files.ts'
import type { ProgressReport, RunningStep } from '../progress-report.ts'
import { findLostFiles } from './find-lost-files.ts'
import type { LostFile } from './lost-file.ts'
import { accountsWithFiles } from './lost-file-store.ts'
import { FilesOfBackup, mendFiles } from './mend-files.ts'

interface Parts {
  database: Database
  blobs: BlobStore
  progress: ProgressReport
}

export interface CheckedAccount {
  /** How many files the backup brought back. */
  mended: number
  left: LostFile[]
}

/** One account after the other: only one account's files are in memory, and what was mended counts if it is stopped. */
export async function* checkAllFiles(
  { database, blobs, progress }: Parts,
  backupFolder: string | null,
): AsyncGenerator<CheckedAccount> {
  using backup = backupFolder === null ? null : await FilesOfBackup.open(backupFolder)
  const accounts = await accountsWithFiles(database.read)
  const step = progress.begin({
    ...{ title: 'Checking files', unit: 'files' },
    ...(await countFilesToCheck(database.read)),
  })
  const parts = { database, blobs, backup, progress }
  for (const accountId of accounts) yield await checkAccount(parts, accountId, step)
  step.end()
}

async function checkAccount(
  parts: Parameters<typeof mendFiles>[0],
  accountId: Id<'account'>,
  step?: RunningStep,
): Promise<CheckedAccount> {
  const found = await findLostFiles(parts, accountId, step)
  const left = await mendFiles(parts, accountId, found)
  const mended = found.lost.length - left.length
  if (countDocuments(left) === countDocuments(found.lost)) return { mended, left }
  // A manifest that is back names further files.
  const next = await checkAccount(parts, accountId)
  return { ...next, mended: next.mended + mended }
}

export function countDocuments(lost: readonly LostFile[]): number {
  return lost.filter(({ file }) => file.kind === 'document').length
}
