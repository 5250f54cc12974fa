import type { Id } from '@masthead/contract/schemas/fields.ts'
import type { Reader, Tx } from '../../database/database.ts'
import { addStored, type BlobRow, lostMark } from '../blob-row-store.ts'

export function blobsToCheck(
  db: Reader,
  accountId: Id<'account'>,
): Promise<(Pick<BlobRow, 'sha256' | 'size' | 'encoded'> & { doomed_at: number | null })[]> {
  return rowsToCheck(db)
    .select(['sha256', 'size', 'encoded', 'doomed_at'])
    .where('account_id', '=', accountId)
    .execute()
}

export async function countBlobsToCheck(db: Reader): Promise<{ total: number; bytes: number }> {
  const { total, bytes } = await rowsToCheck(db)
    .select(({ fn }) => [fn.countAll().as('total'), fn.sum('size').as('bytes')])
    .executeTakeFirstOrThrow()
  return { total: Number(total), bytes: Number(bytes) }
}

const rowsToCheck = (db: Reader) =>
  db.selectFrom('blobs').where((e) => e.or([e('doomed_at', 'is', null), e('doomed_at', '=', lostMark)]))

/** Lost files take no space, so that there is room to publish them again. Needs the account's uploads lock. */
export function setLost(tx: Tx, accountId: Id<'account'>, digests: readonly string[]): Promise<void> {
  return replaceMark(tx, accountId, digests, { was: null, is: lostMark })
}

/** Needs the account's uploads lock. */
export function setFound(tx: Tx, accountId: Id<'account'>, digests: readonly string[]): Promise<void> {
  return replaceMark(tx, accountId, digests, { was: lostMark, is: null })
}

/** Leaves those alone that an upload or the sweep has changed since. */
async function replaceMark(
  tx: Tx,
  accountId: Id<'account'>,
  digests: readonly string[],
  { was, is }: { was: number | null; is: number | null },
): Promise<void> {
  const rows = await tx
    .updateTable('blobs')
    .set({ doomed_at: is })
    .where('account_id', '=', accountId)
    .where('sha256', 'in', digests)
    .where('doomed_at', was === null ? 'is' : '=', was)
    .returning('size')
    .execute()
  const bytes = rows.reduce((sum, { size }) => sum + size, 0)
  await addStored(tx, accountId, is === null ? bytes : -bytes)
}
