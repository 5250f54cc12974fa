import { randomUUID } from 'node:crypto'
import { type Context, lock, type Reader } from './database.ts'

/** Creates the id of the installation, unless it has one. All processes share it; the first one creates it. */
export async function createInstallationId({ database, now }: Context): Promise<void> {
  if ((await findInstallationId(database.read)) !== null) return
  await database.write(async (tx) => {
    await lock(database, tx, 'installation id')
    if ((await findInstallationId(tx)) !== null) return
    await tx.insertInto('installation').values({ id: randomUUID(), created_at: now() }).execute()
  })
}

export async function findInstallationId(db: Reader): Promise<string | null> {
  const row = await db.selectFrom('installation').select('id').executeTakeFirst()
  return row?.id ?? null
}
