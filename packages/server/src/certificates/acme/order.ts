import { z } from 'zod'
import type { AcmeAccount } from './account.ts'
import { acmeUrl } from './acme-url.ts'
import { type AcmeConnection, locationOf } from './connection.ts'
import type { AcmeAnswer } from './exchange.ts'
import { problemDocument } from './problem.ts'
import { readJson } from './read-answer.ts'
import { rfc3339 } from './rfc3339.ts'

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
  return readOrderAnswer(answer, locationOf(answer))
}

export async function readOrder(
  connection: AcmeConnection,
  account: AcmeAccount,
  url: string,
): Promise<Order> {
  return readOrderAnswer(await connection.post(account, url), url)
}

/** Hands in the certificate request, in DER. What it is signed with has to be stored by then. */
export async function finalize(
  connection: AcmeConnection,
  account: AcmeAccount,
  order: Pick<Order, 'url' | 'finalize'>,
  request: Uint8Array,
): Promise<Order> {
  const csr = Buffer.from(request).toString('base64url')
  return readOrderAnswer(await connection.post(account, order.finalize, { csr }), order.url)
}

function readOrderAnswer(answer: AcmeAnswer, url: string): Order {
  return { ...readJson(answer, orderBody), url, retryAt: answer.retryAt }
}
