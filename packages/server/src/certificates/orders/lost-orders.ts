import type { Clock } from '../../kernel/clock.ts'
import type { AcmeAccount } from '../acme/account.ts'
import type { AcmeClient } from '../acme/acme-client.ts'
import type { Order } from '../acme/order.ts'
import { AcmeProblem, type AcmeProblemKind } from '../acme/problem.ts'

/** `none`: the CA never received it. `unknown`: the CA does not list orders. */
export type LostOrder = Order | 'none' | 'unknown'

export interface LostOrders {
  /** Finds an order for exactly this name that can still be finished. */
  find(account: AcmeAccount, name: string): Promise<LostOrder>
}

/**
 * Worth another try, or another account. With any other problem, the CA has no list that we could read: if it refuses
 * the account itself, the next order shows it.
 */
const passing: ReadonlySet<AcmeProblemKind> = new Set([
  'unreachable',
  'server_internal',
  'rate_limited',
  'bad_nonce',
  'account_missing',
])

const readConcurrency = 8
const mostRemembered = 10_000

/** Searches the account's orders for one whose URL we never stored: we were killed, or the response was lost. */
export function createLostOrders(
  client: Pick<AcmeClient, 'listOrders' | 'readOrder'>,
  now: Clock,
): LostOrders {
  /** Names by order URL. They never change, so we read each order once. */
  const names = new Map<string, readonly string[]>()

  async function read(account: AcmeAccount, url: string): Promise<Order | null> {
    const order = await client.readOrder(account, url).catch((error: unknown) => {
      // For one that was purged some CAs say "malformed", others just 404.
      if (error instanceof AcmeProblem && (error.status === 404 || error.kind === 'malformed')) return null
      throw error
    })
    if (order !== null) {
      if (names.size >= mostRemembered) names.clear()
      names.set(
        url,
        order.identifiers.map(({ value }) => value.toLowerCase()),
      )
    }
    return order
  }

  return {
    async find(account, name) {
      const urls = await client.listOrders(account).catch((error: unknown) => {
        if (error instanceof AcmeProblem && !passing.has(error.kind)) return null
        throw error
      })
      if (urls === null) return 'unknown'
      const isFor = (found: readonly string[] | undefined) => found?.length === 1 && found[0] === name
      const candidates = urls.filter((url) => !names.has(url) || isFor(names.get(url))).toReversed()
      for (let at = 0; at < candidates.length; at += readConcurrency) {
        const batch = candidates.slice(at, at + readConcurrency)
        const orders = await Promise.all(batch.map((url) => read(account, url)))
        const found = orders.find(
          (order) => order !== null && isFor(names.get(order.url)) && isOpen(order, now()),
        )
        if (found != null) return found
      }
      return 'none'
    },
  }
}

/** An order past `ready` was finalized with a key we no longer have. Some CAs leave expired ones as they were. */
function isOpen({ status, expires }: Order, now: number): boolean {
  return (status === 'pending' || status === 'ready') && (expires === null || expires > now)
}
