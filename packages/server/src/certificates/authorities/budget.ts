import { getDomain } from 'tldts'
import { type Context, lock, type Reader, type Tx } from '../../database/database.ts'
import { lastWaitingAt } from '../jobs/job-store.ts'
import type { Authority, OrderLimit } from './authorities.ts'
import {
  countOrders,
  deleteFullBuckets,
  deleteOrder,
  findBucket,
  findOpenOrder,
  hasFailedSince,
  type LoggedOrder,
  logOrder,
  type OrderOutcome,
  putBucket,
  setOutcome,
} from './budget-store.ts'
import { availableAt, currentBucket, giveBack, refillInterval, take } from './token-bucket.ts'

export interface OrderCharge {
  name: string
  /** It names the certificate it replaces. */
  exempt: boolean
  /** The name already has a certificate. */
  renews: boolean
  /** The account whose share it uses, if any. */
  account: string | null
  /** A first-priority name, which may use the tokens reserved for such names. */
  isFirst: boolean
}

type NewOrder = Omit<LoggedOrder, 'id' | 'outcome'>

/** An account may order only while this fraction of its own recent orders is still available to others. */
const leftForOthers = 1 / 3

/** When the limits allow an order; null if now. Charges nothing. */
export async function checkBudget(
  { database, now }: Context,
  authority: Authority,
  charge: OrderCharge,
): Promise<number | null> {
  return allowedAt(database.read, authority, newOrder(authority, charge, now()), charge)
}

/**
 * Charges an order to the CA's budget. Returns null if it may be placed, otherwise when the limits allow it. A lock
 * keeps the count exact under concurrency. Neither the CA nor we count renewals that name what they replace.
 */
export async function chargeOrder(
  { database, now }: Context,
  authority: Authority,
  charge: OrderCharge,
): Promise<number | null> {
  const order = newOrder(authority, charge, now())
  return database.write(async (tx) => {
    await lock(database, tx, `orders at ${authority.directoryUrl}`)
    const until = await allowedAt(tx, authority, order, charge)
    if (until !== null) return until
    await settle(tx, authority, order, 'abandoned')
    if (!charge.exempt) {
      for (const limit of authority.limits.filter(({ of }) => of !== 'failures')) {
        await takeFrom(tx, limit, order, order.at)
      }
    }
    await logOrder(tx, order)
    await deleteFullBuckets(tx, order.at)
    return null
  })
}

/** Records how the open order of a name ended. `unmade`: the CA never received it. */
export async function closeOrder(
  { database, now }: Context,
  tx: Tx,
  authority: Authority,
  name: string,
  outcome: OrderOutcome | 'unmade',
): Promise<void> {
  await lock(database, tx, `orders at ${authority.directoryUrl}`)
  await settle(tx, authority, { directory: authority.directoryUrl, name, at: now() }, outcome)
}

async function settle(
  tx: Tx,
  { limits }: Authority,
  { directory, name, at }: Pick<NewOrder, 'directory' | 'name' | 'at'>,
  outcome: OrderOutcome | 'unmade',
): Promise<void> {
  const order = await findOpenOrder(tx, directory, name)
  if (order === undefined) return
  if (outcome === 'unmade') await deleteOrder(tx, order)
  else await setOutcome(tx, order, outcome)
  if (order.exempt === 1 || outcome === 'issued') return
  const wasNeverPlaced = outcome === 'unmade' || outcome === 'refused'
  const hasFailed = outcome === 'failed' || outcome === 'refused'
  for (const limit of limits) {
    if (limit.of === 'failures' && hasFailed) await takeFrom(tx, limit, order, at)
    if (limit.of === 'certificates' || (limit.of === 'orders' && wasNeverPlaced))
      await giveBackTo(tx, limit, order)
  }
}

async function allowedAt(
  db: Reader | Tx,
  { limits }: Authority,
  order: NewOrder,
  charge: OrderCharge,
): Promise<number | null> {
  if (charge.exempt) return null
  let latest = order.at
  for (const limit of limits) {
    if (limit.afterFailure === true && !(await hasFailedSince(db, order, order.at - limit.within))) continue
    const bucket = currentBucket(await findBucket(db, bucketOf(limit, order)), limit, order.at)
    const available = availableAt(bucket, limit, await tokensToLeave(db, limit, order, charge))
    if (available > order.at) latest = Math.max(latest, await queuedAt(db, limit, order, available))
  }
  return latest > order.at ? latest : null
}

/** How many tokens this order must leave in the bucket. */
async function tokensToLeave(
  db: Reader | Tx,
  { reserve, within, of }: OrderLimit,
  order: NewOrder,
  { renews, isFirst }: OrderCharge,
): Promise<number> {
  if (renews) return 0
  const reserved = reserve === undefined ? 0 : reserve.renewals + (isFirst ? 0 : reserve.first)
  const isShared = of === 'orders' && order.account_id !== null
  const used = isShared ? await countOrders(db, order, order.at - within) : 0
  return reserved + Math.ceil(used * leftForOthers)
}

/** Waiting names of one account are queued one refill interval apart. */
async function queuedAt(db: Reader | Tx, limit: OrderLimit, order: NewOrder, from: number): Promise<number> {
  const { account_id: account, name, at } = order
  if (limit.of !== 'orders' || account === null) return from
  const last = await lastWaitingAt(db, { account, except: name, from: at, to: at + limit.within })
  return last === null ? from : Math.max(from, Math.round(last + refillInterval(limit)))
}

async function takeFrom(tx: Tx, limit: OrderLimit, order: NewOrder, at: number): Promise<void> {
  const key = bucketOf(limit, order)
  await putBucket(tx, key, take(currentBucket(await findBucket(tx, key), limit, at), limit, at))
}

async function giveBackTo(tx: Tx, limit: OrderLimit, order: NewOrder): Promise<void> {
  const key = bucketOf(limit, order)
  const bucket = await findBucket(tx, key)
  if (bucket !== undefined) await putBucket(tx, key, giveBack(bucket, limit, order.at))
}

function bucketOf({ of, per }: OrderLimit, { directory, registered_domain, name }: NewOrder) {
  const subject = per === 'account' ? '' : per === 'name' ? name : registered_domain
  return { directory, bucket: `${of} ${per} ${subject}` }
}

function newOrder({ directoryUrl }: Authority, { name, exempt, account }: OrderCharge, at: number): NewOrder {
  return {
    directory: directoryUrl,
    registered_domain: registeredDomain(name),
    name,
    at,
    exempt: exempt ? 1 : 0,
    account_id: account,
  }
}

/** Includes the private section of the public suffix list, as CAs do. */
export function registeredDomain(name: string): string {
  const host = name.replace(/^\*\./, '')
  return getDomain(host, { allowPrivateDomains: true }) ?? host
}
