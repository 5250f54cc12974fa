import type { ExpressionBuilder } from 'kysely'
import type { Reader, Tx } from '../database/database.ts'
import type { Schema } from '../database/schema.ts'

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
export async function takeOverRequest(tx: Tx, id: RequestId, startedAt: number, now: number) {
  const { numUpdatedRows } = await tx
    .updateTable('idempotency')
    .set({ started_at: now })
    .where(isRequest({ ...id, started_at: startedAt }))
    .executeTakeFirst()
  return numUpdatedRows === 1n
}

/** Matches the row only while the request that started at this time still owns it. */
export type RunningId = RequestId & { started_at: number }

function isRequest({ owner, key, started_at }: RunningId) {
  return (e: ExpressionBuilder<Schema, 'idempotency'>) => e.and({ owner, key, started_at })
}

export async function finishRequest(
  tx: Tx,
  id: RunningId,
  fingerprint: string,
  answer: string,
): Promise<void> {
  await tx.updateTable('idempotency').set({ fingerprint, answer }).where(isRequest(id)).execute()
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

export async function deleteRequest(tx: Tx, id: RunningId): Promise<void> {
  await tx.deleteFrom('idempotency').where(isRequest(id)).execute()
}

export async function deleteRunning(tx: Tx, id?: RunningId): Promise<void> {
  const query = tx.deleteFrom('idempotency').where('answer', 'is', null)
  await (id === undefined ? query : query.where(isRequest(id))).execute()
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
