import { getDomain } from 'tldts'
import type { Context } from '../database/context.ts'
import { lock } from '../database/database.ts'
import type { Authority } from './authorities.ts'
import { lastThatCounts, logOrder } from './issuance-log-store.ts'

/**
 * Takes an order out of the CA's budget, exactly, whoever else orders at the same moment. Null: it may be made.
 * Otherwise when the limits allow it. A renewal that names what it replaces is not counted by the CA, nor here.
 */
export async function spendOrder(
  { database, now }: Context,
  { directoryUrl, limits }: Authority,
  { name, exempt }: { name: string; exempt: boolean },
): Promise<number | null> {
  const order = { directory: directoryUrl, registeredDomain: registeredDomain(name), name, at: now(), exempt }
  return database.write(async (tx) => {
    if (!exempt) {
      await lock(database, tx, `orders at ${directoryUrl}`)
      const waits: number[] = []
      for (const limit of limits) {
        const last = await lastThatCounts(tx, limit, order)
        if (last !== null) waits.push(last + limit.within)
      }
      if (waits.length > 0) return Math.max(...waits)
    }
    await logOrder(tx, order)
    return null
  })
}

/** As CAs count: with the private part of the public suffix list. */
export function registeredDomain(name: string): string {
  const host = name.replace(/^\*\./, '')
  return getDomain(host, { allowPrivateDomains: true }) ?? host
}
