import type { Reader, Tx } from '../database/database.ts'
import type { Bucket } from './token-bucket.ts'

export interface BucketKey {
  directory: string
  bucket: string
}

export async function findBucket(
  db: Reader | Tx,
  { directory, bucket }: BucketKey,
): Promise<Bucket | undefined> {
  const row = await db
    .selectFrom('issuance_buckets')
    .selectAll()
    .where('directory', '=', directory)
    .where('bucket', '=', bucket)
    .executeTakeFirst()
  return row && { fullAt: row.full_at, lastFullAt: row.last_full_at }
}

export async function putBucket(tx: Tx, key: BucketKey, { fullAt, lastFullAt }: Bucket): Promise<void> {
  const state = { full_at: fullAt, last_full_at: lastFullAt }
  await tx
    .insertInto('issuance_buckets')
    .values({ ...key, ...state })
    .onConflict((conflict) => conflict.columns(['directory', 'bucket']).doUpdateSet(state))
    .execute()
}

export async function deleteFullBuckets(tx: Tx, now: number): Promise<void> {
  await tx.deleteFrom('issuance_buckets').where('full_at', '<=', now).execute()
}
