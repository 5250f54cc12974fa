import type { AcmeAccount } from './acme/account.ts'
import { AcmeProblem, type AcmeProblemKind } from './acme/problem.ts'
import type { AcmeParts } from './acme-parts.ts'
import { spendOrder } from './budget.ts'
import { budgetFailure, type Failure } from './failure.ts'
import { closeOrder, unlogOrder } from './issuance-log-store.ts'
import { type ClaimedJob, noteProgress } from './job-store.ts'
import { newKeyPair, privateKeyPem } from './key-pair.ts'
import { OrderUnderWay } from './order-under-way.ts'
import { purposes } from './sealed-values.ts'
import { waysToProve } from './ways-to-prove.ts'

/** Orders, and stores what was ordered before anything else is done with it; or says why nothing is ordered. */
export async function beginOrder(
  parts: AcmeParts,
  job: ClaimedJob,
  account: AcmeAccount,
): Promise<{ begun: OrderUnderWay } | { failure: Failure }> {
  const { database, client, sealing, authority } = parts
  const { name, reason } = job.row
  // A CA without ARI is not told what is replaced, so it counts the order like any other.
  const knowsAri = (await client.directory()).renewalInfo !== undefined
  const replaces = knowsAri ? job.row.replaces : null
  // Before CAA is looked at: whoever has to wait for the budget costs nobody's nameservers anything.
  const spending = { name, exempt: replaces !== null, renews: reason === 'renewal' }
  const until = await spendOrder(parts, authority, spending)
  if (until !== null) return { failure: budgetFailure(authority.title, until) }
  const found = await waysToProve(parts, job.row, account)
  if ('failure' in found) {
    await database.write((tx) => unlogOrder(tx, authority.directoryUrl, name))
    return found
  }
  const keys = await newKeyPair()
  const sealedKey = sealing.seal(privateKeyPem(keys), purposes.certificate(name))
  try {
    const order = await client.newOrder(account, { names: [name], ...(replaces !== null && { replaces }) })
    const progress = { issuer: authority.directoryUrl, order_url: order.url, sealed_key: sealedKey }
    await database.write((tx) => noteProgress(tx, job, progress))
    return { begun: new OrderUnderWay({ order, keys, sealedKey, ways: found.ways }) }
  } catch (error) {
    if (error instanceof AcmeProblem) await noteRefusal(parts, job, error, replaces !== null)
    throw error
  }
}

/** Counted, so that whoever has a name tried again and again does not have the CA asked as often. */
const refusalsOfTheName: ReadonlySet<AcmeProblemKind> = new Set([
  'rejected_name',
  'malformed',
  'caa',
  'dns',
  'connection',
  'unauthorized',
  'rate_limited',
  'other',
])
/** They say nothing of the order itself, so the next one may name what it replaces as well. */
const passing: ReadonlySet<AcmeProblemKind> = new Set([
  'rate_limited',
  'server_internal',
  'unreachable',
  'bad_nonce',
  'account_missing',
])

async function noteRefusal(
  { database, authority }: AcmeParts,
  job: ClaimedJob,
  problem: AcmeProblem,
  namesWhatItReplaces: boolean,
): Promise<void> {
  const { name } = job.row
  await database.write(async (tx) => {
    if (refusalsOfTheName.has(problem.kind)) await closeOrder(tx, authority.directoryUrl, name, 'refused')
    // An answer that was lost or made no sense may be that of an order that exists.
    else if (!problem.mayBeDone) await unlogOrder(tx, authority.directoryUrl, name)
    // The certificate may be one of another account, or unknown to the CA by now.
    if (namesWhatItReplaces && !passing.has(problem.kind)) await noteProgress(tx, job, { replaces: null })
  })
}
