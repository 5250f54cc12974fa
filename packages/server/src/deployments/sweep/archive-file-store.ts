import type { Id } from '@masthead/contract/schemas/fields.ts'
import { type Database, lock, type Reader, type Tx } from '../../database/database.ts'
import { uploadsLock } from '../begin-deployment.ts'
import { findBlobs } from '../blob-row-store.ts'
import type { DeploymentRow } from '../store.ts'

type Archive = Pick<DeploymentRow, 'id' | 'account_id'>

/** Part of the files that an arriving archive relies on. */
interface ArchivePart {
  deployment_id: Id<'deployment'>
  part: number
}

/**
 * Records what an archive relies on while it arrives, because its manifest is only known at the end. Call this in the
 * transaction that creates its deployment.
 */
export async function beginArchive(tx: Tx, { id, account_id }: Archive): Promise<void> {
  await tx
    .insertInto('archive_files')
    .values({ deployment_id: id, part: 0, account_id, digests: '[]' })
    .execute()
}

/** Finds files that the account already has, and keeps them from being swept for an archive. */
export function createHolder(
  database: Database,
  { id, account_id: accountId }: Archive,
): (digests: readonly string[]) => Promise<string[]> {
  let parts = 0
  return async (digests) => {
    if ((await findBlobs(database.read, accountId, digests)).length === 0) return []
    // Not synced: a power failure ends the upload too.
    return database.writeUnsynced(async (tx) => {
      await lock(database, tx, uploadsLock(accountId))
      const found = (await findBlobs(tx, accountId, digests)).map(({ sha256 }) => sha256)
      const row = { deployment_id: id, part: ++parts, account_id: accountId, digests: JSON.stringify(found) }
      await tx.insertInto('archive_files').values(row).execute()
      return found
    })
  }
}

/**
 * Call this when the manifest of the archive is written: it keeps the files from now on. Files of the archive that are
 * claimed for removal were claimed before this.
 */
export async function endArchive(database: Database, { id, account_id }: Archive): Promise<void> {
  await database.writeUnsynced(async (tx) => {
    await lock(database, tx, uploadsLock(account_id))
    await tx.deleteFrom('archive_files').where('deployment_id', '=', id).execute()
  })
}

export function archiveParts(db: Reader, accountId: Id<'account'>): Promise<ArchivePart[]> {
  return db
    .selectFrom('archive_files')
    .select(['deployment_id', 'part'])
    .where('account_id', '=', accountId)
    .execute()
}

export async function digestsOfPart(db: Reader, { deployment_id, part }: ArchivePart): Promise<string[]> {
  const row = await db
    .selectFrom('archive_files')
    .select('digests')
    .where('deployment_id', '=', deployment_id)
    .where('part', '=', part)
    .executeTakeFirst()
  return row === undefined ? [] : JSON.parse(row.digests)
}

/** For deployments that were removed while their archive arrived, or finalized although its server was killed. */
export async function deleteEndedArchives(tx: Tx): Promise<void> {
  await tx
    .deleteFrom('archive_files')
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('deployments')
            .select('deployments.id')
            .whereRef('deployments.id', '=', 'archive_files.deployment_id')
            .where('deployments.state', '=', 'uploading'),
        ),
      ),
    )
    .execute()
}
