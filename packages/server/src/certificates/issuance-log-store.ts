import { randomUUID } from 'node:crypto'
import { day } from '../clock.ts'
import type { Tx } from '../database/database.ts'
import type { Schema } from '../database/schema.ts'
import type { OrderLimit } from './authorities.ts'

/** Longer than any limit looks back. */
const keptFor = 8 * day

export interface Logged {
  directory: string
  registeredDomain: string
  name: string
  at: number
  exempt: boolean
}

export async function logOrder(
  tx: Tx,
  { directory, registeredDomain, name, at, exempt }: Logged,
): Promise<void> {
  const row: Schema['issuance_log'] = {
    id: randomUUID(),
    directory,
    registered_domain: registeredDomain,
    name,
    at,
    outcome: 'ordered',
    exempt: exempt ? 1 : 0,
  }
  await closeOrder(tx, directory, name, 'abandoned')
  await tx.insertInto('issuance_log').values(row).execute()
  await tx
    .deleteFrom('issuance_log')
    .where('at', '<', at - keptFor)
    .execute()
}

/** What became of the order of a name that is open. */
export async function closeOrder(
  tx: Tx,
  directory: string,
  name: string,
  outcome: Exclude<Schema['issuance_log']['outcome'], 'ordered'>,
): Promise<void> {
  await tx
    .updateTable('issuance_log')
    .set({ outcome })
    .where('directory', '=', directory)
    .where('name', '=', name)
    .where('outcome', '=', 'ordered')
    .execute()
}

/** The order was never made. */
export async function unlogOrder(tx: Tx, directory: string, name: string): Promise<void> {
  await tx
    .deleteFrom('issuance_log')
    .where('directory', '=', directory)
    .where('name', '=', name)
    .where('outcome', '=', 'ordered')
    .execute()
}

const outcomes = {
  orders: ['ordered', 'issued', 'failed', 'abandoned'],
  certificates: ['ordered', 'issued'],
  failures: ['failed', 'refused'],
} as const

/** When the `limit.count`-th last one was that counts, which has to leave the window before the next; or null. */
export async function lastThatCounts(
  tx: Tx,
  limit: OrderLimit,
  { directory, registeredDomain, name, at }: Logged,
): Promise<number | null> {
  let rows = tx
    .selectFrom('issuance_log')
    .select('at')
    .where('directory', '=', directory)
    .where('at', '>', at - limit.within)
    .where('exempt', '=', 0)
    .where('outcome', 'in', outcomes[limit.of])
  if (limit.per === 'registered_domain') rows = rows.where('registered_domain', '=', registeredDomain)
  if (limit.per === 'name') rows = rows.where('name', '=', name)
  const row = await rows
    .orderBy('at', 'desc')
    .offset(limit.count - 1)
    .limit(1)
    .executeTakeFirst()
  return row?.at ?? null
}
