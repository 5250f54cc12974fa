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
import { availableAt, giveBack, refillInterval, take } from './token-bucket.ts'

export interface OrderCharge {
  name: string
  /** It names what it replaces. */
  exempt: boolean
  /** It is for a name that has a certificate. */
  renews: boolean
  /** Whose share it uses; null: nobody's. */
  account: string | null
  /** For a name that comes first: it may use what is kept for such names. */
  isFirst: boolean
}

type NewOrder = Omit<LoggedOrder, 'id' | 'outcome'>

/** An account may order while at least this part of what it has ordered lately is left for others. */
const leftForOthers = 1 / 3

/** When the limits allow an order; null: now. Takes nothing. */
export async function checkBudget(
  { database, now }: Context,
  authority: Authority,
  spending: OrderCharge,
): Promise<number | null> {
  return allowedAt(database.read, authority, newOrder(authority, spending, now()), spending)
}

/**
 * Takes an order out of the CA's budget, exactly, whoever else orders at the same moment. Null: it may be made.
 * Otherwise when the limits allow it. A renewal that names what it replaces is not counted by the CA, nor here.
 */
export async function chargeOrder(
  { database, now }: Context,
  authority: Authority,
  spending: OrderCharge,
): Promise<number | null> {
  const order = newOrder(authority, spending, now())
  return database.write(async (tx) => {
    await lock(database, tx, `orders at ${authority.directoryUrl}`)
    const until = await allowedAt(tx, authority, order, spending)
    if (until !== null) return until
    await settle(tx, authority, order, 'abandoned')
    if (!spending.exempt) {
      for (const limit of authority.limits.filter(({ of }) => of !== 'failures')) {
        await takeFrom(tx, limit, order, order.at)
      }
    }
    await logOrder(tx, order)
    await deleteFullBuckets(tx, order.at)
    return null
  })
}

/** What became of the order of a name that is open. `unmade`: the CA never had it. */
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
  const neverMade = outcome === 'unmade' || outcome === 'refused'
  const hasFailed = outcome === 'failed' || outcome === 'refused'
  for (const limit of limits) {
    if (limit.of === 'failures' && hasFailed) await takeFrom(tx, limit, order, at)
    if (limit.of === 'certificates' || (limit.of === 'orders' && neverMade))
      await giveBackTo(tx, limit, order)
  }
}

async function allowedAt(
  db: Reader | Tx,
  { limits }: Authority,
  order: NewOrder,
  spending: OrderCharge,
): Promise<number | null> {
  if (spending.exempt) return null
  let until = order.at
  for (const limit of limits) {
    if (limit.afterFailure === true && !(await hasFailedSince(db, order, order.at - limit.within))) continue
    const bucket = await findBucket(db, bucketOf(limit, order))
    const from = availableAt(bucket, limit, await tokensToLeave(db, limit, order, spending))
    if (from > order.at) until = Math.max(until, await queuedAt(db, limit, order, from))
  }
  return until > order.at ? until : null
}

/** How many tokens this order has to leave. */
async function tokensToLeave(
  db: Reader | Tx,
  { reserve, within, of }: OrderLimit,
  order: NewOrder,
  { renews, isFirst }: OrderCharge,
): Promise<number> {
  if (renews) return 0
  const kept = reserve === undefined ? 0 : reserve.renewals + (isFirst ? 0 : reserve.first)
  const isShared = of === 'orders' && order.account_id !== null
  const used = isShared ? await countOrders(db, order, order.at - within) : 0
  return kept + Math.ceil(used * leftForOthers)
}

/** Names of one account that wait for its share come back one after the other, as the bucket fills. */
async function queuedAt(db: Reader | Tx, limit: OrderLimit, order: NewOrder, from: number): Promise<number> {
  const { account_id: account, name, at } = order
  if (limit.of !== 'orders' || account === null) return from
  const last = await lastWaitingAt(db, { account, except: name, from: at, to: at + limit.within })
  return last === null ? from : Math.max(from, Math.round(last + refillInterval(limit)))
}

async function takeFrom(tx: Tx, limit: OrderLimit, order: NewOrder, at: number): Promise<void> {
  const key = bucketOf(limit, order)
  await putBucket(tx, key, take(await findBucket(tx, key), limit, at))
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

/** As CAs count: with the private part of the public suffix list. */
export function registeredDomain(name: string): string {
  const host = name.replace(/^\*\./, '')
  return getDomain(host, { allowPrivateDomains: true }) ?? host
}
