import { purposes } from '../../secrets/sealed-values.ts'
import type { AcmeAccount } from '../acme/account.ts'
import type { Order } from '../acme/order.ts'
import { AcmeProblem, type AcmeProblemKind } from '../acme/problem.ts'
import { chargeOrder, checkBudget, closeOrder, type OrderCharge } from '../authorities/budget.ts'
import { findOpenOrder } from '../authorities/budget-store.ts'
import { budgetFailure, type Failure } from '../jobs/failure.ts'
import { type ClaimedJob, jobPriorities, recordProgress } from '../jobs/job-store.ts'
import { generateKeyPair, privateKeyPem } from '../x509/key-pair.ts'
import { allowedChallengeTypes } from './challenge-types.ts'
import type { LostOrder } from './lost-orders.ts'
import { type OrderContext, OrderInProgress } from './order-in-progress.ts'

/**
 * Orders, and stores what was ordered before anything else is done with it; or says why nothing is ordered. An order
 * that was about to be made when the process was killed is charged: it is gone on with where the CA has it, and made
 * without another charge where the CA says that it does not.
 */
export async function placeOrder(
  parts: OrderContext,
  job: ClaimedJob,
  account: AcmeAccount,
): Promise<{ begun: OrderInProgress } | { failure: Failure }> {
  const { database, client, sealing, authority } = parts
  const { name, reason, account_id, priority } = job.row
  const lost = await findLost(parts, job, account)
  const isCharged = lost !== null && lost !== 'unknown'
  // A CA without ARI is not told what is replaced, so it counts the order like any other.
  const knowsAri = (await client.directory()).renewalInfo !== undefined
  const replaces = knowsAri ? job.row.replaces : null
  const spending: OrderCharge = {
    name,
    exempt: replaces !== null,
    renews: reason === 'renewal',
    account: account_id,
    isFirst: priority === jobPriorities.first,
  }
  // Before CAA is looked at: whoever has to wait for the budget costs nobody's nameservers anything.
  const until = isCharged ? null : await checkBudget(parts, authority, spending)
  if (until !== null) return { failure: budgetFailure(authority.title, until) }
  const found = await allowedChallengeTypes(parts, job.row, account)
  if ('failure' in found) {
    if (lost === 'none') await database.write((tx) => closeOrder(parts, tx, authority, name, 'unmade'))
    return found
  }
  const keys = await generateKeyPair()
  const sealedKey = sealing.seal(privateKeyPem(keys), purposes.certificate(name))
  // Last of all: what is charged is made, unless the process ends in this very moment.
  const wait = isCharged ? null : await chargeOrder(parts, authority, spending)
  if (wait !== null) return { failure: budgetFailure(authority.title, wait) }
  try {
    const order = isOrder(lost)
      ? lost
      : await client.newOrder(account, { names: [name], ...(replaces !== null && { replaces }) })
    const progress = { issuer: authority.directoryUrl, order_url: order.url, sealed_key: sealedKey }
    await database.write((tx) => recordProgress(tx, job, progress))
    return { begun: new OrderInProgress({ order, keys, sealedKey, ways: found.ways }) }
  } catch (error) {
    if (error instanceof AcmeProblem) await recordRefusal(parts, job, error, replaces !== null)
    throw error
  }
}

/** Null: none was begun. */
async function findLost(
  { database, authority, lostOrders }: OrderContext,
  { row: { name, order_url } }: ClaimedJob,
  account: AcmeAccount,
): Promise<LostOrder | null> {
  // One whose URL is known is over, or the CA has forgotten it.
  if (order_url !== null) return null
  const open = await findOpenOrder(database.read, authority.directoryUrl, name)
  return open === undefined ? null : lostOrders.find(account, name)
}

function isOrder(lost: LostOrder | null): lost is Order {
  return typeof lost === 'object' && lost !== null
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

async function recordRefusal(
  parts: OrderContext,
  job: ClaimedJob,
  problem: AcmeProblem,
  namesWhatItReplaces: boolean,
): Promise<void> {
  const { database, authority } = parts
  const { name } = job.row
  await database.write(async (tx) => {
    if (refusalsOfTheName.has(problem.kind)) await closeOrder(parts, tx, authority, name, 'refused')
    // An answer that was lost or made no sense may be that of an order that exists.
    else if (!problem.mayBeDone) await closeOrder(parts, tx, authority, name, 'unmade')
    // The certificate may be one of another account, or unknown to the CA by now.
    if (namesWhatItReplaces && !passing.has(problem.kind)) await recordProgress(tx, job, { replaces: null })
  })
}
