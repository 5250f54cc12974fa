import type { AcmeAccount } from '../acme/account.ts'
import type { Order } from '../acme/order.ts'
import { AcmeProblem, type AcmeProblemKind } from '../acme/problem.ts'
import { chargeOrder, checkBudget, closeOrder, type OrderCharge } from '../authorities/budget.ts'
import { findOpenOrder } from '../authorities/budget-store.ts'
import { budgetFailure, type Failure } from '../jobs/failure.ts'
import { type ClaimedJob, jobPriorities } from '../jobs/job.ts'
import { recordProgress } from '../jobs/job-lease-store.ts'
import { allowedChallengeTypes } from './challenge-types.ts'
import type { LostOrder } from './lost-orders.ts'
import { type OrderContext, OrderInProgress } from './order-in-progress.ts'
import { createOrderKey, saveOrder } from './saved-order.ts'

/**
 * Places an order and stores it before doing anything else with it, or says why nothing was ordered. If a process was
 * killed while placing it, the order is already charged to the budget: we continue it if the CA has it, and place it
 * without charging again if the CA does not.
 */
export async function placeOrder(
  context: OrderContext,
  job: ClaimedJob,
  account: AcmeAccount,
): Promise<{ order: OrderInProgress } | { failure: Failure }> {
  const { database, client, authority } = context
  const { name, reason, account_id, priority } = job.row
  const lost = await findLost(context, job, account)
  const isCharged = lost !== null && lost !== 'unknown'
  // Only CAs with ARI learn what an order replaces; the others count it against their limits.
  const knowsAri = (await client.directory()).renewalInfo !== undefined
  const replaces = knowsAri ? job.row.replaces : null
  const charge: OrderCharge = {
    name,
    exempt: replaces !== null,
    renews: reason === 'renewal',
    // Renewals have a reserve of their own.
    account: reason === 'renewal' ? null : account_id,
    isFirst: priority === jobPriorities.first,
  }
  // Checked before CAA, so that names waiting for the budget cause no DNS queries.
  const allowedAt = isCharged ? null : await checkBudget(context, authority, charge)
  if (allowedAt !== null) return { failure: budgetFailure(authority.title, allowedAt) }
  const allowed = await allowedChallengeTypes(context, job.row, account)
  if ('failure' in allowed) {
    if (lost === 'none') await database.write((tx) => closeOrder(context, tx, authority, name, 'unmade'))
    return allowed
  }
  const key = await createOrderKey(context, name)
  // Charged last, so that an order is charged but not placed only if we are killed right here.
  const chargeableAt = isCharged ? null : await chargeOrder(context, authority, charge)
  if (chargeableAt !== null) return { failure: budgetFailure(authority.title, chargeableAt) }
  try {
    const order = isOrder(lost)
      ? lost
      : await client.newOrder(account, { names: [name], ...(replaces !== null && { replaces }) })
    await saveOrder(context, job, order, key.sealedKey)
    return { order: new OrderInProgress({ order, ...key, ...allowed, placedAt: context.now() }) }
  } catch (error) {
    if (!(error instanceof AcmeProblem)) throw error
    await recordRefusal(context, job, error, replaces !== null)
    throw replaces !== null && maybeOfReplaced.has(error.kind) ? replacementRefused(error) : error
  }
}

/**
 * How CAs refuse to replace a certificate of the account that we had before, or one that they do not find or accept. The
 * next order, which replaces nothing, shows whether it was about that.
 */
const maybeOfReplaced: ReadonlySet<AcmeProblemKind> = new Set(['account_refused', 'malformed', 'not_found'])

function replacementRefused({ message, document, status, retryAt }: AcmeProblem): AcmeProblem {
  const details = { ...(document !== null && { document }), ...(status !== null && { status }), retryAt }
  return new AcmeProblem('already_replaced', message, details)
}

/** Null if no order was being placed. */
async function findLost(
  { database, authority, lostOrders }: OrderContext,
  { row: { name, order_url } }: ClaimedJob,
  account: AcmeAccount,
): Promise<LostOrder | null> {
  // If we know its URL, we already found out that it is over or unknown to the CA.
  if (order_url !== null) return null
  const open = await findOpenOrder(database.read, authority.directoryUrl, name)
  return open === undefined ? null : lostOrders.find(account, name)
}

function isOrder(lost: LostOrder | null): lost is Order {
  return typeof lost === 'object' && lost !== null
}

/** Counted against the name, so that retrying a bad name does not send every retry to the CA. */
const refusalsOfName: ReadonlySet<AcmeProblemKind> = new Set([
  'rejected_name',
  'malformed',
  'caa',
  'dns',
  'connection',
  'unauthorized',
  'rate_limited',
  'other',
])
/** Unrelated to the order itself, so the next one can still say what it replaces. */
const transientKinds: ReadonlySet<AcmeProblemKind> = new Set([
  'rate_limited',
  'server_internal',
  'unreachable',
  'bad_nonce',
  'account_missing',
])

async function recordRefusal(
  context: OrderContext,
  job: ClaimedJob,
  problem: AcmeProblem,
  hadReplaces: boolean,
): Promise<void> {
  const { database, authority } = context
  const { name } = job.row
  await database.write(async (tx) => {
    if (refusalsOfName.has(problem.kind)) await closeOrder(context, tx, authority, name, 'refused')
    // If the response was lost or unreadable, the order may exist: keep it open to look for it.
    else if (!problem.mayBeDone) await closeOrder(context, tx, authority, name, 'unmade')
    // The replaced certificate may belong to another account, or the CA no longer knows it.
    if (hadReplaces && !transientKinds.has(problem.kind)) await recordProgress(tx, job, { replaces: null })
  })
}
