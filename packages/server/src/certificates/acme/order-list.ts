import { z } from 'zod'
import type { AcmeAccount } from './account.ts'
import { acmeUrl } from './acme-url.ts'
import type { AcmeConnection } from './connection.ts'
import { linkTargets } from './link-header.ts'
import { readJson } from './read-answer.ts'

const accountBody = z.object({ orders: acmeUrl.optional().catch(undefined) })
const listBody = z.object({ orders: z.array(acmeUrl).max(1_000) })
const mostPages = 200
const mostOrders = 2_000

/**
 * The URLs of an account's orders (RFC 8555, section 7.1.2.1). Null where the CA keeps no list, as Let's Encrypt, or a
 * longer one than is read here.
 */
export async function listOrders(connection: AcmeConnection, account: AcmeAccount): Promise<string[] | null> {
  let page = readJson(await connection.post(account, account.url), accountBody).orders
  if (page === undefined) return null
  const orders: string[] = []
  for (let pages = 0; pages < mostPages && orders.length <= mostOrders; pages++) {
    const answer = await connection.post(account, page)
    orders.push(...readJson(answer, listBody).orders)
    const [next] = linkTargets(answer.headers.get('link'), 'next', answer.url)
    if (next === undefined) return orders
    page = next
  }
  return null
}
