import type { Database } from '../../database/database.ts'
import type { FairSemaphore } from '../../kernel/fair-queue.ts'
import { updateWebhook, type WebhookRow } from '../store.ts'
import {
  type ClaimedQueue,
  deleteQueue,
  dueForPerson,
  dueQueues,
  headOf,
  leaseQueue,
  lockFreeWebhooks,
  type QueueRow,
} from './queue-store.ts'
import type { Schedule } from './schedule.ts'

export interface Claiming {
  schedule: Schedule
  leaseFor: number
  /** Shared by all accounts; one is acquired for each claimed queue. */
  slots: FairSemaphore
  /** How many deliveries of each webhook run in this process. */
  running: ReadonlyMap<string, number>
  perWebhook: number
  newOwner: () => string
}

const mostCandidates = 200

/** Claims queues that are due, as many as the shares of their webhook and account allow. */
export async function claimQueues(
  database: Database,
  { now, ...claiming }: Claiming & { now: number },
): Promise<ClaimedQueue[]> {
  const { slots, running, perWebhook } = claiming
  const full = [...running].filter(([, count]) => count >= perWebhook).map(([id]) => id)
  const due = await dueQueues(database.read, { now, perWebhook, most: mostCandidates, without: full })
  const chosen = chooseWithinShares(due, claiming)
  if (chosen.length === 0) return []
  const claimed: ClaimedQueue[] = []
  try {
    await database.write(async (tx) => {
      // Reads in the order of a fixed set of rows, and never waits: two workers cannot block each other.
      const ids = [...new Set(chosen.map(({ webhook_id }) => webhook_id))]
      const webhooks = new Map((await lockFreeWebhooks(database, tx, ids)).map((row) => [row.id, row]))
      for (const queue of chosen) {
        const webhook = webhooks.get(queue.webhook_id)
        if (webhook === undefined) continue
        if (webhook.paused_until > now && queue.due_at !== dueForPerson) continue
        const owner = claiming.newOwner()
        const leased = await leaseQueue(tx, queue, { owner, now, until: now + claiming.leaseFor })
        if (leased === null) continue
        const head = await headOf(tx, leased)
        if (head === undefined) {
          await deleteQueue(tx, leased)
          continue
        }
        claimed.push({ queue: leased, owner, webhook, head })
        if (!isBroken(webhook, claiming.schedule)) continue
        // One attempt shows whether the endpoint is back. The others wait for it.
        webhook.paused_until = now + claiming.leaseFor
        await updateWebhook(tx, webhook.id, { paused_until: webhook.paused_until })
      }
    })
  } catch (error) {
    for (const { account_id } of chosen) slots.release(account_id)
    throw error
  }
  const kept = new Set(claimed.map(({ queue }) => key(queue)))
  for (const queue of chosen) if (!kept.has(key(queue))) slots.release(queue.account_id)
  return claimed
}

function chooseWithinShares(
  due: readonly QueueRow[],
  { slots, running, perWebhook }: Pick<Claiming, 'slots' | 'running' | 'perWebhook'>,
): QueueRow[] {
  const counts = new Map(running)
  return due.filter(({ webhook_id, account_id }) => {
    const count = counts.get(webhook_id) ?? 0
    if (count >= perWebhook || !slots.tryAcquire(account_id)) return false
    counts.set(webhook_id, count + 1)
    return true
  })
}

const key = ({ webhook_id, resource }: QueueRow) => `${webhook_id} ${resource}`

/** Whether the circuit breaker is open. */
export function isBroken({ failures }: Pick<WebhookRow, 'failures'>, schedule: Schedule): boolean {
  return failures >= schedule.failuresUntilPaused
}
