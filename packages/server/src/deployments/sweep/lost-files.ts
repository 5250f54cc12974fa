import type { Id } from '@masthead/contract/schemas/fields.ts'
import { type Database, lock, type Reader } from '../../database/database.ts'
import { uploadsLock } from '../begin-deployment.ts'
import type { EncodedSizes } from '../manifest.ts'
import { blobsToCheck, countBlobsToCheck, setFound, setLost } from './lost-blob-store.ts'

type Digests = readonly string[]
type LockingDatabase = Pick<Database, 'dialect' | 'write'>

/** How many files one transaction is about. On SQLite, the server waits for it. */
const batchSize = 500

export interface FileToCheck {
  sha256: string
  size: number
  encoded?: EncodedSizes
  /** Marked by `markLost`. */
  isLost: boolean
}

/** What uploads rely on, also if no deployment lists it, and what is marked as lost. */
export async function filesToCheck(db: Reader, accountId: Id<'account'>): Promise<FileToCheck[]> {
  const rows = await blobsToCheck(db, accountId)
  return rows.map(({ sha256, size, encoded, doomed_at }) => ({
    sha256,
    size,
    ...(encoded !== null && { encoded: JSON.parse(encoded) as EncodedSizes }),
    isLost: doomed_at !== null,
  }))
}

/** Of all accounts, for the progress. */
export const countFilesToCheck = countBlobsToCheck

/** The next upload of these files stores them again. */
export function markLost(
  database: LockingDatabase,
  accountId: Id<'account'>,
  digests: Digests,
): Promise<void> {
  return inBatches(database, accountId, digests, setLost)
}

/** The files are there again. */
export function markFound(
  database: LockingDatabase,
  accountId: Id<'account'>,
  digests: Digests,
): Promise<void> {
  return inBatches(database, accountId, digests, setFound)
}

async function inBatches(
  database: LockingDatabase,
  accountId: Id<'account'>,
  digests: Digests,
  change: typeof setLost,
): Promise<void> {
  for (let start = 0; start < digests.length; start += batchSize) {
    await database.write(async (tx) => {
      await lock(database, tx, uploadsLock(accountId))
      await change(tx, accountId, digests.slice(start, start + batchSize))
    })
  }
}
