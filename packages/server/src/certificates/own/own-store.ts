import type { Id } from '@masthead/contract/schemas/fields.ts'
import type { Selectable } from 'kysely'
import type { Reader, Tx } from '../../database/database.ts'
import type { Schema } from '../../database/schema.ts'

export type OwnCertificateRow = Selectable<Schema['own_certificates']>

export async function findOwnRows(
  db: Reader,
  domains: readonly Id<'domain'>[],
): Promise<OwnCertificateRow[]> {
  if (domains.length === 0) return []
  return db.selectFrom('own_certificates').selectAll().where('domain_id', 'in', domains).execute()
}

/** Replaces the previous one of the domain. */
export async function putOwnRow(tx: Tx, { domain_id, ...content }: OwnCertificateRow): Promise<void> {
  await tx
    .insertInto('own_certificates')
    .values({ domain_id, ...content })
    .onConflict((conflict) => conflict.column('domain_id').doUpdateSet(content))
    .execute()
}

export async function deleteOwnRow(tx: Tx, domainId: Id<'domain'>): Promise<boolean> {
  const query = tx.deleteFrom('own_certificates').where('domain_id', '=', domainId)
  return (await query.executeTakeFirst()).numDeletedRows > 0n
}

/** Reads along a partial index. */
export async function findRowsToWarn(db: Reader, now: number, most: number): Promise<OwnCertificateRow[]> {
  const due = db.selectFrom('own_certificates').selectAll().where('warn_at', '<=', now)
  return due.orderBy('warn_at').limit(most).execute()
}

/** Returns true for exactly one of several processes. */
export async function setNextWarning(
  tx: Tx,
  { domain_id, serial, warn_at }: OwnCertificateRow,
  nextAt: number | null,
): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('own_certificates')
    .set({ warn_at: nextAt })
    .where('domain_id', '=', domain_id)
    .where('serial', '=', serial)
    .where('warn_at', '=', warn_at)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}
