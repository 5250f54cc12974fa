import { randomBytes, randomUUID } from 'node:crypto'
import { lock } from '../../database/database.ts'
import { hour, minute } from '../../kernel/clock.ts'
import { purposes } from '../../secrets/sealed-values.ts'
import type { IssuingContext } from '../context.ts'
import {
  deleteOtherTicketKeys,
  findTicketKey,
  insertTicketKey,
  type TicketKeyRow,
} from './ticket-key-store.ts'

export interface TicketKey {
  /** 48 bytes, as node:tls takes them. */
  key: Buffer
  /** When there will be a newer one. */
  nextAt: number
}

const rotationInterval = 12 * hour
const keyBytes = 48

/**
 * The key of TLS session tickets, the same for every process, so that each resumes what another began. Node takes a
 * single one: what a former key began is not resumed, and nobody can read it any more.
 */
export async function currentTicketKey({
  database,
  now,
  sealing,
}: Pick<IssuingContext, 'database' | 'now' | 'sealing'>): Promise<TicketKey> {
  const at = now()
  const known = await findTicketKey(database.read)
  const { id, sealed_key, created_at } = isCurrent(known, at) ? known : await database.write(rotate)
  return { key: sealing.open(sealed_key, purposes.ticketKey(id)), nextAt: created_at + rotationInterval }

  /** By whoever comes first; the others find its key. */
  async function rotate(tx: Parameters<typeof insertTicketKey>[0]): Promise<TicketKeyRow> {
    await lock(database, tx, 'ticket keys')
    const found = await findTicketKey(tx)
    if (isCurrent(found, at)) return found
    const id = randomUUID()
    const row = {
      id,
      sealed_key: sealing.seal(randomBytes(keyBytes), purposes.ticketKey(id)),
      created_at: at,
    }
    await insertTicketKey(tx, row)
    await deleteOtherTicketKeys(tx, id)
    return row
  }
}

/** Whether its time is now: a clock may have been set back far since it was made. */
function isCurrent(row: TicketKeyRow | undefined, now: number): row is TicketKeyRow {
  return row !== undefined && Math.abs(now - row.created_at) < rotationInterval
}

export interface TicketKeyRotation {
  current(): Buffer
  onChange(listener: () => void): void
  close(): void
}

const pauseAfterFault = minute

/** The key of TLS sessions, taken anew when its time is over. While that fails the old one stays in use. */
export async function startTicketKeyRotation(
  context: Pick<IssuingContext, 'database' | 'now' | 'sealing'>,
  log: { error(details: object, message: string): void },
): Promise<TicketKeyRotation> {
  const listeners: (() => void)[] = []
  let known = await currentTicketKey(context)
  let timer = lookAgain(known.nextAt - context.now())
  let isClosed = false

  /** However far the clock was set back meanwhile: a timer that is asked for too much does not wait at all. */
  function lookAgain(after: number): NodeJS.Timeout {
    return setTimeout(renew, Math.min(Math.max(after, 0), rotationInterval)).unref()
  }

  async function renew(): Promise<void> {
    let after = pauseAfterFault
    try {
      known = await currentTicketKey(context)
      for (const listener of listeners) listener()
      after = known.nextAt - context.now()
    } catch (err) {
      log.error({ err }, 'the key of TLS sessions could not be renewed')
    }
    if (!isClosed) timer = lookAgain(after)
  }

  return {
    current: () => known.key,
    onChange: (listener) => void listeners.push(listener),
    close() {
      isClosed = true
      clearTimeout(timer)
    },
  }
}
