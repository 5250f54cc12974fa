import type { AcmeAccount } from './acme/account.ts'
import type { Order } from './acme/order.ts'
import { AcmeProblem } from './acme/problem.ts'
import type { AcmeParts } from './acme-parts.ts'
import { spendOrder } from './budget.ts'
import { checkCaa } from './caa.ts'
import { budgetFailure, caaFailure, type Failure } from './failure.ts'
import { unlogOrder } from './issuance-log-store.ts'
import { type ClaimedJob, noteProgress } from './job-store.ts'
import { type KeyPair, newKeyPair, privateKeyPem } from './key-pair.ts'
import { purposes } from './sealed-values.ts'

/** An order that is under way, and the key that its certificate will be for. */
export interface OrderUnderWay {
  order: Order
  keys: KeyPair
  sealedKey: string
}

/** Orders, and stores what was ordered before anything else is done with it; or says why nothing is ordered. */
export async function beginOrder(
  parts: AcmeParts,
  job: ClaimedJob,
  account: AcmeAccount,
): Promise<{ begun: OrderUnderWay } | { failure: Failure }> {
  const { database, client, sealing, authority, caaLookUp } = parts
  const { name, replaces } = job.row
  const verdict = await checkCaa(name, authority.identities, caaLookUp, { accountUri: account.url })
  // Where it is unclear the CA is asked: its nameservers may see more than ours.
  if (verdict.kind === 'forbidden') return { failure: caaFailure(verdict) }
  const until = await spendOrder(parts, authority, { name, exempt: replaces !== null })
  if (until !== null) return { failure: budgetFailure(authority.title, until) }
  const keys = await newKeyPair()
  const sealedKey = sealing.seal(privateKeyPem(keys), purposes.certificate(name))
  try {
    const order = await client.newOrder(account, { names: [name], ...(replaces !== null && { replaces }) })
    const progress = { issuer: authority.directoryUrl, order_url: order.url, sealed_key: sealedKey }
    await database.write((tx) => noteProgress(tx, job, progress))
    return { begun: { order, keys, sealedKey } }
  } catch (error) {
    if (error instanceof AcmeProblem) {
      await database.write((tx) => unlogOrder(tx, authority.directoryUrl, name))
    }
    throw error
  }
}
