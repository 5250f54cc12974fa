import { getDomain } from 'tldts'
import type { Context } from '../database/context.ts'
import { lock, type Tx } from '../database/database.ts'
import type { Authority, OrderLimit } from './authorities.ts'
import { type Logged, lastThatCounts, logOrder } from './issuance-log-store.ts'

export interface Spending {
  name: string
  /** It names what it replaces. */
  exempt: boolean
  /** It is for a name that has a certificate. */
  renews: boolean
}

/**
 * Takes an order out of the CA's budget, exactly, whoever else orders at the same moment. Null: it may be made.
 * Otherwise when the limits allow it. A renewal that names what it replaces is not counted by the CA, nor here.
 */
export async function spendOrder(
  { database, now }: Context,
  { directoryUrl, limits }: Authority,
  { name, exempt, renews }: Spending,
): Promise<number | null> {
  const order = { directory: directoryUrl, registeredDomain: registeredDomain(name), name, at: now(), exempt }
  return database.write(async (tx) => {
    if (!exempt) {
      await lock(database, tx, `orders at ${directoryUrl}`)
      const waits: number[] = []
      for (const limit of limits) {
        const count = limit.count - (renews ? 0 : (limit.reserve ?? 0))
        const last = (await holdsFor(tx, limit, order))
          ? await lastThatCounts(tx, { ...limit, count }, order)
          : null
        if (last !== null) waits.push(last + limit.within)
      }
      if (waits.length > 0) return Math.max(...waits)
    }
    await logOrder(tx, order)
    return null
  })
}

async function holdsFor(tx: Tx, limit: OrderLimit, order: Logged): Promise<boolean> {
  if (limit.afterFailure !== true) return true
  return (await lastThatCounts(tx, { ...limit, count: 1, per: 'name' }, order)) !== null
}

/** As CAs count: with the private part of the public suffix list. */
export function registeredDomain(name: string): string {
  const host = name.replace(/^\*\./, '')
  return getDomain(host, { allowPrivateDomains: true }) ?? host
}
