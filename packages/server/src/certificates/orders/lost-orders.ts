import type { AcmeAccount } from '../acme/account.ts'
import type { AcmeClient } from '../acme/acme-client.ts'
import type { Order } from '../acme/order.ts'
import { AcmeProblem } from '../acme/problem.ts'

/** `none`: the CA never had it. `unknown`: the CA does not tell. */
export type LostOrder = Order | 'none' | 'unknown'

export interface LostOrders {
  /** An order for just this name that can be gone on with. */
  find(account: AcmeAccount, name: string): Promise<LostOrder>
}

const readsAtOnce = 8
const mostRemembered = 10_000

/** Looks among the account's orders for those whose making was cut off, by a kill or a lost answer. */
export function createLostOrders(client: Pick<AcmeClient, 'listOrders' | 'readOrder'>): LostOrders {
  /** By URL. What an order is for never changes. */
  const names = new Map<string, readonly string[]>()

  async function read(account: AcmeAccount, url: string): Promise<Order | null> {
    const order = await client.readOrder(account, url).catch((error: unknown) => {
      if (error instanceof AcmeProblem && error.status === 404) return null
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
      const urls = await client.listOrders(account)
      if (urls === null) return 'unknown'
      const isFor = (found: readonly string[] | undefined) => found?.length === 1 && found[0] === name
      const candidates = urls.filter((url) => !names.has(url) || isFor(names.get(url))).toReversed()
      for (let at = 0; at < candidates.length; at += readsAtOnce) {
        const some = candidates.slice(at, at + readsAtOnce)
        const orders = await Promise.all(some.map((url) => read(account, url)))
        const found = orders.find((order) => order !== null && isFor(names.get(order.url)) && isOpen(order))
        if (found != null) return found
      }
      return 'none'
    },
  }
}

/** One that is further along was made with another key. */
function isOpen({ status }: Order): boolean {
  return status === 'pending' || status === 'ready'
}
