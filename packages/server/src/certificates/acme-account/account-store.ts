import type { Selectable } from 'kysely'
import type { Reader, Tx } from '../../database/database.ts'
import type { Schema } from '../../database/schema.ts'

export type AcmeAccountRow = Selectable<Schema['acme_accounts']>

export async function findAccountRow(db: Reader, directory: string): Promise<AcmeAccountRow | undefined> {
  return db.selectFrom('acme_accounts').selectAll().where('directory', '=', directory).executeTakeFirst()
}

/** If several processes create one at once, the first wins. */
export async function insertAccount(tx: Tx, row: AcmeAccountRow): Promise<void> {
  await tx
    .insertInto('acme_accounts')
    .values(row)
    .onConflict((conflict) => conflict.column('directory').doNothing())
    .execute()
}

export async function setAccountUrl(tx: Tx, directory: string, url: string): Promise<void> {
  await tx.updateTable('acme_accounts').set({ url }).where('directory', '=', directory).execute()
}

export async function setAccountKey(
  tx: Tx,
  directory: string,
  url: string,
  sealedKey: string,
): Promise<void> {
  const change = { url, sealed_key: sealedKey }
  await tx.updateTable('acme_accounts').set(change).where('directory', '=', directory).execute()
}

/** A key without an account yet. False if another process has changed it in the meantime. */
export async function replaceAccountKey(
  tx: Tx,
  { directory, sealed_key }: Pick<AcmeAccountRow, 'directory' | 'sealed_key'>,
  newSealedKey: string,
): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('acme_accounts')
    .set({ url: null, sealed_key: newSealedKey })
    .where('directory', '=', directory)
    .where('sealed_key', '=', sealed_key)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

export async function deleteAccount(tx: Tx, directory: string): Promise<void> {
  await tx.deleteFrom('acme_accounts').where('directory', '=', directory).execute()
}

/** Unless another process has registered again in the meantime. */
export async function clearAccountUrl(tx: Tx, directory: string, url: string): Promise<void> {
  await tx
    .updateTable('acme_accounts')
    .set({ url: null })
    .where('directory', '=', directory)
    .where('url', '=', url)
    .execute()
}
