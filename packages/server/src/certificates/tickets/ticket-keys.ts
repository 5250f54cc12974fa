import { randomBytes, randomUUID } from 'node:crypto'
import { lock } from '../../database/database.ts'
import { hour, minute } from '../../kernel/clock.ts'
import type { IssuingContext } from '../context.ts'
import { purposes } from '../sealed-columns.ts'
import {
  deleteOtherTicketKeys,
  findTicketKey,
  insertTicketKey,
  type TicketKeyRow,
} from './ticket-key-store.ts'

export interface TicketKey {
  /** 48 bytes, as node:tls requires. */
  key: Buffer
  /** When the next key replaces it. */
  nextAt: number
}

const rotationInterval = 12 * hour
const keyBytes = 48

/**
 * The key of TLS session tickets, shared by all processes so that each can resume sessions of the others. Node accepts
 * only one key, so sessions of the previous key are not resumed and can no longer be decrypted.
 */
export async function currentTicketKey({
  database,
  now,
  sealing,
}: Pick<IssuingContext, 'database' | 'now' | 'sealing'>): Promise<TicketKey> {
  const at = now()
  const stored = await findTicketKey(database.read)
  const { id, sealed_key, created_at } = isCurrent(stored, at) ? stored : await database.write(rotate)
  return { key: sealing.open(sealed_key, purposes.ticketKey(id)), nextAt: created_at + rotationInterval }

  /** The first process rotates; the others find its key. */
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

/** Also false for a key from the far future: the clock may have been set back. */
function isCurrent(row: TicketKeyRow | undefined, now: number): row is TicketKeyRow {
  return row !== undefined && Math.abs(now - row.created_at) < rotationInterval
}

export interface TicketKeyRotation {
  current(): Buffer
  onChange(listener: () => void): void
  close(): void
}

const pauseAfterFault = minute

/** Keeps the session ticket key up to date. If rotation fails, the old key stays in use. */
export async function startTicketKeyRotation(
  context: Pick<IssuingContext, 'database' | 'now' | 'sealing'>,
  log: { error(details: object, message: string): void },
): Promise<TicketKeyRotation> {
  const listeners: (() => void)[] = []
  let known = await currentTicketKey(context)
  let timer = scheduleRenewal(known.nextAt - context.now())
  let isClosed = false

  /** Bounded because a timer with too long a delay fires immediately, and the clock may have been set back. */
  function scheduleRenewal(after: number): NodeJS.Timeout {
    return setTimeout(renew, Math.min(Math.max(after, 0), rotationInterval)).unref()
  }

  async function renew(): Promise<void> {
    let after = pauseAfterFault
    try {
      known = await currentTicketKey(context)
      for (const listener of listeners) listener()
      after = known.nextAt - context.now()
    } catch (err) {
      log.error({ err }, 'could not renew the session ticket key')
    }
    if (!isClosed) timer = scheduleRenewal(after)
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
