import { z } from 'zod'
import { type IssuedCertificate, readIssuedCertificate } from '../x509/issued-certificate.ts'
import type { AcmeAccount } from './account.ts'
import { type AcmeConnection, locationOf } from './connection.ts'
import type { AcmeResponse } from './exchange.ts'
import { AcmeProblem, problemDocument } from './problem.ts'
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

/** RFC 8555, section 7.1.3. */
export interface Order extends z.infer<typeof orderBody> {
  url: string
  /** When the CA wants us to poll again, if it says so. */
  retryAt: number | null
}

export interface NewOrder {
  names: readonly string[]
  /** The `renewalId` of the certificate this one replaces. CAs exempt such orders from their rate limits. */
  replaces?: string
}

export async function newOrder(
  connection: AcmeConnection,
  account: AcmeAccount,
  { names, replaces }: NewOrder,
): Promise<Order> {
  const { newOrder: url, renewalInfo } = await connection.directory()
  const identifiers = names.map((value) => ({ type: 'dns', value }))
  // A CA without ARI may reject the unknown field.
  const replacing = replaces !== undefined && renewalInfo !== undefined ? { replaces } : {}
  const response = await connection.post(account, url, { identifiers, ...replacing })
  return readOrderResponse(response, locationOf(response))
}

export async function readOrder(
  connection: AcmeConnection,
  account: AcmeAccount,
  url: string,
): Promise<Order> {
  return readOrderResponse(await connection.post(account, url), url)
}

/**
 * Sends the CSR (DER). Its key must be stored before. Can be repeated after a crash: a CA that has it already rejects the
 * request, and we read the order instead, as RFC 8555 says in section 7.4.
 */
export async function finalize(
  connection: AcmeConnection,
  account: AcmeAccount,
  order: Pick<Order, 'url' | 'finalize'>,
  csr: Uint8Array,
): Promise<Order> {
  const payload = { csr: Buffer.from(csr).toString('base64url') }
  try {
    return readOrderResponse(await connection.post(account, order.finalize, payload), order.url)
  } catch (error) {
    if (!(error instanceof AcmeProblem) || !isOrderNotReady(error)) throw error
    return readOrder(connection, account, order.url)
  }
}

function isOrderNotReady({ document }: AcmeProblem): boolean {
  return document?.type === 'urn:ietf:params:acme:error:orderNotReady'
}

function readOrderResponse(response: AcmeResponse, url: string): Order {
  return { ...readJson(response, orderBody), url, retryAt: response.retryAt }
}

const accountBody = z.object({ orders: acmeUrl.optional().catch(undefined) })
const listBody = z.object({ orders: z.array(acmeUrl).max(1_000) })
const mostPages = 200
const mostOrders = 2_000

/**
 * The URLs of an account's orders (RFC 8555, section 7.1.2.1). Null if the list is too long, or if the CA has none,
 * like Let's Encrypt.
 */
export async function listOrders(connection: AcmeConnection, account: AcmeAccount): Promise<string[] | null> {
  let page = readJson(await connection.post(account, account.url), accountBody).orders
  if (page === undefined) return null
  const orders: string[] = []
  for (let pages = 0; pages < mostPages && orders.length <= mostOrders; pages++) {
    const response = await connection.post(account, page)
    orders.push(...readJson(response, listBody).orders)
    const [next] = linkTargets(response.headers.get('link'), 'next', response.url)
    if (next === undefined) return orders
    page = next
  }
  return null
}

const chainType = 'application/pem-certificate-chain'
const mostAlternates = 10

export interface DownloadedChain extends IssuedCertificate {
  /** URLs of the same certificate with other chains. */
  alternates: string[]
}

export async function download(
  connection: AcmeConnection,
  account: AcmeAccount,
  url: string,
): Promise<DownloadedChain> {
  const response = await connection.post(account, url, undefined, chainType)
  requireType(response, chainType)
  const issued = readIssuedCertificate(response.body)
  if (issued === null) throw invalidResponse(response, 'it is not a pure certificate chain')
  const alternates = linkTargets(response.headers.get('link'), 'alternate', url).filter(isAcmeUrl)
  return { ...issued, alternates: alternates.slice(0, mostAlternates) }
}
