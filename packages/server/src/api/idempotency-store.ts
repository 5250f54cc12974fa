import type { Reader, Tx } from '../database/database.ts'

export interface RequestId {
  owner: string
  key: string
}

/** Returns false if the key is already in use. */
export async function startRequest(
  tx: Tx,
  row: RequestId & { fingerprint: string; started_at: number },
): Promise<boolean> {
  const inserted = await tx
    .insertInto('idempotency')
    .values({ ...row, answer: null })
    .onConflict((conflict) => conflict.columns(['owner', 'key']).doNothing())
    .returning('key')
    .executeTakeFirst()
  return inserted !== undefined
}

export function findRequest(db: Reader, { owner, key }: RequestId) {
  return db
    .selectFrom('idempotency')
    .selectAll()
    .where('owner', '=', owner)
    .where('key', '=', key)
    .executeTakeFirst()
}

/** Returns false if another request took it over first. */
export async function takeOverRequest(tx: Tx, { owner, key }: RequestId, startedAt: number, now: number) {
  const { numUpdatedRows } = await tx
    .updateTable('idempotency')
    .set({ started_at: now })
    .where('owner', '=', owner)
    .where('key', '=', key)
    .where('started_at', '=', startedAt)
    .executeTakeFirst()
  return numUpdatedRows === 1n
}

/** Matches the row only while the request that started at this time still owns it. */
export type RunningId = RequestId & { started_at: number }

export async function finishRequest(
  tx: Tx,
  { owner, key, started_at }: RunningId,
  fingerprint: string,
  answer: string,
): Promise<void> {
  await tx
    .updateTable('idempotency')
    .set({ fingerprint, answer })
    .where('owner', '=', owner)
    .where('key', '=', key)
    .where('started_at', '=', started_at)
    .execute()
}

/** For a request that was carried out in this transaction, whether or not one has the same id. */
export async function saveResult(
  tx: Tx,
  row: RequestId & { started_at: number; answer: string },
): Promise<void> {
  await tx
    .insertInto('idempotency')
    .values({ ...row, fingerprint: '' })
    .onConflict((conflict) => conflict.columns(['owner', 'key']).doUpdateSet(row))
    .execute()
}

export async function deleteRequest(tx: Tx, { owner, key, started_at }: RunningId): Promise<void> {
  await tx
    .deleteFrom('idempotency')
    .where('owner', '=', owner)
    .where('key', '=', key)
    .where('started_at', '=', started_at)
    .execute()
}

export async function deleteRunning(tx: Tx, id?: RunningId): Promise<void> {
  let query = tx.deleteFrom('idempotency').where('answer', 'is', null)
  if (id !== undefined) {
    query = query
      .where('owner', '=', id.owner)
      .where('key', '=', id.key)
      .where('started_at', '=', id.started_at)
  }
  await query.execute()
}

/** Deletes up to `most` requests that started before a time, and returns how many. */
export async function deleteOlderThan(tx: Tx, before: number, most: number): Promise<number> {
  const { numDeletedRows } = await tx
    .deleteFrom('idempotency')
    .where((e) =>
      e(
        e.refTuple('owner', 'key'),
        'in',
        e
          .selectFrom('idempotency')
          .select(['owner', 'key'])
          .where('started_at', '<', before)
          .orderBy('started_at')
          .limit(most)
          .$asTuple('owner', 'key'),
      ),
    )
    .executeTakeFirst()
  return Number(numDeletedRows)
}
