import type { Id } from '@masthead/contract/ids.ts'
import type { Selectable } from 'kysely'
import type { Reader, Tx } from '../database/database.ts'
import type { Schema } from '../database/schema.ts'

export async function isKnownNetwork(db: Reader, personId: Id<'person'>, network: string): Promise<boolean> {
  const row = await db
    .selectFrom('known_networks')
    .select('last_at')
    .where('person_id', '=', personId)
    .where('network', '=', network)
    .executeTakeFirst()
  return row !== undefined
}

export async function saveNetwork(tx: Tx, row: Selectable<Schema['known_networks']>): Promise<void> {
  await tx
    .insertInto('known_networks')
    .values(row)
    .onConflict((conflict) =>
      conflict.columns(['person_id', 'network']).doUpdateSet({ last_at: row.last_at }),
    )
    .execute()
}

export async function forgetNetworks(
  tx: Tx,
  personId: Id<'person'>,
  { before, beyond }: { before: number; beyond: number },
): Promise<void> {
  const latest = tx
    .selectFrom('known_networks')
    .select('network')
    .where('person_id', '=', personId)
    .where('last_at', '>=', before)
    .orderBy('last_at', 'desc')
    .orderBy('network')
    .limit(beyond)
  await tx
    .deleteFrom('known_networks')
    .where('person_id', '=', personId)
    .where('network', 'not in', latest)
    .execute()
}
