import { randomBytes } from 'node:crypto'
import { type Context, lock, type Reader } from '../database/database.ts'
import type { SealedColumn, Sealing } from './sealing.ts'

const rowId = 'shared'
const purpose = () => 'site key'

export const siteKeyColumn: SealedColumn = { table: 'site_key', column: 'sealed_key', key: 'id', purpose }

/** Signs what visitors of protected sites carry. All processes share it; the first one creates it. */
export async function openSiteKey({
  database,
  now,
  sealing,
}: Context & { sealing: Sealing }): Promise<Buffer> {
  const sealed =
    (await findSiteKey(database.read)) ??
    (await database.write(async (tx) => {
      await lock(database, tx, 'site key')
      const existing = await findSiteKey(tx)
      if (existing !== null) return existing
      const sealed_key = sealing.seal(randomBytes(32), purpose())
      await tx.insertInto('site_key').values({ id: rowId, sealed_key, created_at: now() }).execute()
      return sealed_key
    }))
  return sealing.open(sealed, purpose())
}

async function findSiteKey(db: Reader): Promise<string | null> {
  const row = await db.selectFrom('site_key').select('sealed_key').where('id', '=', rowId).executeTakeFirst()
  return row?.sealed_key ?? null
}
