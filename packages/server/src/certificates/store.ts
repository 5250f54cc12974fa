import { type Selectable, sql, type Updateable } from 'kysely'
import type { Reader, Tx } from '../database/database.ts'
import type { Schema } from '../database/schema.ts'

export type CertificateRow = Selectable<Schema['certificates']>

export async function findCertificateRow(db: Reader, name: string): Promise<CertificateRow | undefined> {
  return db.selectFrom('certificates').selectAll().where('name', '=', name).executeTakeFirst()
}

export async function findCertificateRows(db: Reader, names: readonly string[]): Promise<CertificateRow[]> {
  if (names.length === 0) return []
  return db.selectFrom('certificates').selectAll().where('name', 'in', names).execute()
}

/** Replaces the previous certificate of the name. */
export async function putCertificate(tx: Tx, row: CertificateRow): Promise<void> {
  const { name, ...content } = row
  await tx
    .insertInto('certificates')
    .values({ name, ...content })
    .onConflict((conflict) => conflict.column('name').doUpdateSet(content))
    .execute()
}

export async function deleteCertificate(tx: Tx, name: string): Promise<void> {
  await tx.deleteFrom('certificates').where('name', '=', name).execute()
}

export type DueCertificate = CertificateRow & { check_at: number }

/** Reads along a partial index, so the cost does not depend on how many are not due. */
export async function findDueCertificates(db: Reader, now: number, most: number): Promise<DueCertificate[]> {
  const rows = await db
    .selectFrom('certificates')
    .selectAll()
    .where('check_at', '<=', now)
    .orderBy('check_at')
    .limit(most)
    .execute()
  return rows.flatMap((row) => (row.check_at === null ? [] : [{ ...row, check_at: row.check_at }]))
}

/** Returns true for exactly one of several processes that claim it. */
export async function claimDueCertificate(
  tx: Tx,
  { name, serial, check_at }: DueCertificate,
  nextCheckAt: number | null,
): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('certificates')
    .set({ check_at: nextCheckAt })
    .where('name', '=', name)
    .where('serial', '=', serial)
    .where('check_at', '=', check_at)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** Only if it is still the same certificate and no job is about to replace it. */
export async function updateRenewal(
  tx: Tx,
  { name, serial }: CertificateRow,
  change: Pick<Updateable<Schema['certificates']>, keyof Renewal>,
): Promise<void> {
  await tx
    .updateTable('certificates')
    .set(change)
    .where('name', '=', name)
    .where('serial', '=', serial)
    .where('check_at', 'is not', null)
    .execute()
}

export type Renewal = Pick<
  CertificateRow,
  'renew_at' | 'check_at' | 'ari_id' | 'ari_start' | 'ari_end' | 'ari_checked_at'
>

/** Call when a job is gone that did not replace the certificate, which nobody would check otherwise. */
export async function scheduleCheck(tx: Tx, name: string, checkAt: number): Promise<void> {
  await tx
    .updateTable('certificates')
    .set({ check_at: checkAt })
    .where('name', '=', name)
    .where('check_at', 'is', null)
    .execute()
}

interface OtherIssuers {
  /** Those whose certificates are not due for this. */
  issuers: readonly string[]
  now: number
}

/** Whether certificates of other issuers are not due yet. */
export async function hasOtherIssuers(db: Reader, { issuers, now }: OtherIssuers): Promise<boolean> {
  const row = await db
    .selectFrom('certificates')
    .select('name')
    .where(isOfOthers(issuers))
    .where('check_at', '>', now)
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}

/** Makes those of the next `most` certificates due that are of other issuers. Returns the last name; null: no more. */
export async function markOtherIssuersDue(
  tx: Tx,
  { issuers, now, after, most }: OtherIssuers & { after: string; most: number },
): Promise<string | null> {
  const rows = await tx
    .selectFrom('certificates')
    .select('name')
    .where('name', '>', after)
    .orderBy('name')
    .limit(most)
    .execute()
  const names = rows.map(({ name }) => name)
  if (names.length > 0) {
    await tx
      .updateTable('certificates')
      .set({ renew_at: now, check_at: now })
      .where('name', 'in', names)
      .where(isOfOthers(issuers))
      .where('check_at', '>', now)
      .execute()
  }
  return names.length === most ? (names.at(-1) ?? null) : null
}

/** Ranges, because an index cannot find what is not in a list. */
function isOfOthers(issuers: readonly string[]) {
  const all = issuers.toSorted()
  const ranges = [...all, null].map((end, index) => {
    const start = all[index - 1]
    return sql<boolean>`(${sql.join(
      [
        ...(start === undefined ? [] : [sql`issuer > ${start}`]),
        ...(end === null ? [] : [sql`issuer < ${end}`]),
      ],
      sql` and `,
    )})`
  })
  return sql<boolean>`(${sql.join(ranges, sql` or `)})`
}

/** The certificate is served until a job, which the caller requests, replaces it. */
export async function makeDue(
  tx: Tx,
  { name, issuer }: Pick<CertificateRow, 'name' | 'issuer'>,
  now: number,
): Promise<void> {
  await tx
    .updateTable('certificates')
    .set({ renew_at: now, check_at: null })
    .where('name', '=', name)
    .where('issuer', '=', issuer)
    .execute()
}
