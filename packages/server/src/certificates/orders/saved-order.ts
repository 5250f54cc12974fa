import { hour } from '../../kernel/clock.ts'
import type { ChallengeType } from '../acme/authorization.ts'
import type { Order } from '../acme/order.ts'
import { putChallenges } from '../jobs/challenge-store.ts'
import type { ClaimedJob } from '../jobs/job.ts'
import { recordProgress } from '../jobs/job-lease-store.ts'
import { purposes } from '../sealed-columns.ts'
import { generateKeyPair, type KeyPair, keyPairFromPem, privateKeyPem } from '../x509/key-pair.ts'
import type { OrderContext } from './order-in-progress.ts'

/** Longer than a CA keeps validating one order. */
const challengesKept = 24 * hour

export interface OrderKey {
  keys: KeyPair
  sealedKey: string
}

export async function createOrderKey({ sealing }: OrderContext, name: string): Promise<OrderKey> {
  const keys = await generateKeyPair()
  return { keys, sealedKey: sealing.seal(privateKeyPem(keys), purposes.certificate(name)) }
}

export function openOrderKey(
  { sealing }: Pick<OrderContext, 'sealing'>,
  name: string,
  sealedKey: string,
): OrderKey {
  const keys = keyPairFromPem(sealing.open(sealedKey, purposes.certificate(name)).toString())
  return { keys, sealedKey }
}

/** The order that an earlier attempt placed at this CA and did not finish. */
export function findSavedOrder(
  { authority }: OrderContext,
  { row: { issuer, order_url, sealed_key } }: ClaimedJob,
): { url: string; sealedKey: string } | null {
  if (order_url === null || sealed_key === null || issuer !== authority.directoryUrl) return null
  return { url: order_url, sealedKey: sealed_key }
}

/** Call as soon as the order has a URL, before doing anything else with it. */
export async function saveOrder(
  { database, authority }: OrderContext,
  job: ClaimedJob,
  { url }: Pick<Order, 'url'>,
  sealedKey: string,
): Promise<void> {
  const progress = { issuer: authority.directoryUrl, order_url: url, sealed_key: sealedKey }
  await database.write((tx) => recordProgress(tx, job, progress))
}

export interface ChallengeResponse {
  type: ChallengeType
  token: string
  keyAuthorization: string
  /** Where our DNS answers it, if it is a dns-01 challenge. */
  label: string | null
}

/** Makes every edge respond to these challenges. Call before telling the CA to validate. */
export async function saveChallengeResponses(
  { database, now, authority }: OrderContext,
  job: ClaimedJob,
  responses: readonly ChallengeResponse[],
): Promise<void> {
  const expires_at = now() + challengesKept
  const rows = responses.map(({ type, token, keyAuthorization, label }) => {
    return { token, name: job.row.name, kind: type, key_authorization: keyAuthorization, expires_at, label }
  })
  await database.write(async (tx) => {
    // Throws if we have lost the lease on the job.
    await recordProgress(tx, job, { issuer: authority.directoryUrl })
    await putChallenges(tx, rows)
  })
}
