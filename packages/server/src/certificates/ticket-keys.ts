import { randomBytes, randomUUID } from 'node:crypto'
import { hour } from '../clock.ts'
import { lock } from '../database/database.ts'
import type { IssuingContext } from './context.ts'
import { purposes } from './sealed-values.ts'
import { deleteTicketKeys, findTicketKeys, insertTicketKey, type TicketKeyRow } from './ticket-key-store.ts'

export interface TicketKeys {
  /** Newest first: the first one is for new sessions. 48 bytes each, as node:tls takes them. */
  keys: Buffer[]
  /** When there will be a newer one. */
  nextAt: number
}

const rotatedEvery = 12 * hour
const keptFor = 36 * hour
const keyBytes = 48

/** The keys of TLS session tickets, the same for every process, so that each resumes what another began. */
export async function currentTicketKeys({
  database,
  now,
  sealing,
}: Pick<IssuingContext, 'database' | 'now' | 'sealing'>): Promise<TicketKeys> {
  const at = now()
  const known = await findTicketKeys(database.read, at - keptFor)
  const rows = isCurrent(known, at) ? known : await database.write(rotate)
  return {
    keys: rows.map(({ id, sealed_key }) => sealing.open(sealed_key, purposes.ticketKey(id))),
    nextAt: (rows[0]?.created_at ?? at) + rotatedEvery,
  }

  /** By whoever comes first; the others find its key. */
  async function rotate(tx: Parameters<typeof insertTicketKey>[0]): Promise<TicketKeyRow[]> {
    await lock(database, tx, 'ticket keys')
    const found = await findTicketKeys(tx, at - keptFor)
    if (isCurrent(found, at)) return found
    const id = randomUUID()
    const row = {
      id,
      sealed_key: sealing.seal(randomBytes(keyBytes), purposes.ticketKey(id)),
      created_at: at,
    }
    await insertTicketKey(tx, row)
    await deleteTicketKeys(tx, at - keptFor)
    return [row, ...found]
  }
}

function isCurrent(rows: readonly TicketKeyRow[], now: number): boolean {
  const newest = rows[0]
  return newest !== undefined && now < newest.created_at + rotatedEvery
}
