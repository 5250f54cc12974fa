import { z } from 'zod'
import { type IssuedCertificate, readIssuedCertificate } from '../x509/issued-certificate.ts'
import type { AcmeAccount } from './account.ts'
import { type AcmeConnection, locationOf } from './connection.ts'
import type { AcmeResponse } from './exchange.ts'
import { problemDocument } from './problem.ts'
import { invalidResponse, readJson, requireType } from './read-response.ts'
import { acmeUrl, isAcmeUrl, linkTargets, rfc3339 } from './response-fields.ts'

const identifier = z.object({ type: z.string(), value: z.string().max(253) })

const orderBody = z.object({
  status: z.enum(['pending', 'ready', 'processing', 'valid', 'invalid']),
  expires: rfc3339.nullable().catch(null),
  identifiers: z.array(identifier).max(100),
  authorizations: z.array(acmeUrl).max(100),
  finalize: acmeUrl,
  certificate: acmeUrl.optional(),
  error: problemDocument.optional(),
})

/** An order as the CA tells it (RFC 8555, section 7.1.3). */
export interface Order extends z.infer<typeof orderBody> {
  url: string
  /** When the CA wants to be asked again, where it says so. */
  retryAt: number | null
}

export interface NewOrder {
  names: readonly string[]
  /** The certificate that this one takes the place of (`renewalId`); CAs exempt such orders from their limits. */
  replaces?: string
}

export async function newOrder(
  connection: AcmeConnection,
  account: AcmeAccount,
  { names, replaces }: NewOrder,
): Promise<Order> {
  const { newOrder: url, renewalInfo } = await connection.directory()
  const identifiers = names.map((value) => ({ type: 'dns', value }))
  // A CA that does not know the field may refuse the order for it.
  const replacing = replaces !== undefined && renewalInfo !== undefined ? { replaces } : {}
  const answer = await connection.post(account, url, { identifiers, ...replacing })
  return readOrderResponse(answer, locationOf(answer))
}

export async function readOrder(
  connection: AcmeConnection,
  account: AcmeAccount,
  url: string,
): Promise<Order> {
  return readOrderResponse(await connection.post(account, url), url)
}

/** Hands in the certificate request, in DER. What it is signed with has to be stored by then. */
export async function finalize(
  connection: AcmeConnection,
  account: AcmeAccount,
  order: Pick<Order, 'url' | 'finalize'>,
  request: Uint8Array,
): Promise<Order> {
  const csr = Buffer.from(request).toString('base64url')
  return readOrderResponse(await connection.post(account, order.finalize, { csr }), order.url)
}

function readOrderResponse(answer: AcmeResponse, url: string): Order {
  return { ...readJson(answer, orderBody), url, retryAt: answer.retryAt }
}

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

const chainType = 'application/pem-certificate-chain'
const mostAlternates = 10

export interface DownloadedChain extends IssuedCertificate {
  /** Where the same certificate is with other chains; each can be downloaded like the first. */
  alternates: string[]
}

export async function download(
  connection: AcmeConnection,
  account: AcmeAccount,
  url: string,
): Promise<DownloadedChain> {
  const answer = await connection.post(account, url, undefined, chainType)
  requireType(answer, chainType)
  const issued = readIssuedCertificate(answer.body)
  if (issued === null) throw invalidResponse(answer, 'it is not a chain of certificates and nothing else')
  const alternates = linkTargets(answer.headers.get('link'), 'alternate', url).filter(isAcmeUrl)
  return { ...issued, alternates: alternates.slice(0, mostAlternates) }
}
