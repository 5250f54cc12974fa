import type { Id } from '@masthead/contract/schemas/fields.ts'
import type { Database } from '../../database/database.ts'
import { updateWebhook, type WebhookRow } from '../store.ts'
import {
  type ClaimedQueue,
  type DueQuestion,
  type DueQueue,
  deleteQueue,
  dueForPerson,
  dueQueues,
  headOf,
  leaseQueue,
  lockFreeWebhooks,
  type QueueRow,
} from './queue-store.ts'
import type { Schedule } from './schedule.ts'
import type { DeliverySlots } from './slots.ts'

export interface Claiming {
  schedule: Schedule
  leaseFor: number
  /** One is acquired for each claimed queue. */
  slots: DeliverySlots
  /** How many deliveries of each webhook run in this process. */
  running: ReadonlyMap<Id<'webhook'>, number>
  perWebhook: number
  /** How many queues are considered at a time. */
  mostCandidates: number
  newOwner: () => string
}

/** Claims queues that are due, as many as the shares of their webhook and account allow. */
export async function claimQueues(
  database: Database,
  { now, ...claiming }: Claiming & { now: number },
): Promise<ClaimedQueue[]> {
  const chosen = chooseWithinShares(await candidates(database, now, claiming), claiming)
  if (chosen.length === 0) return []
  const claimed: ClaimedQueue[] = []
  try {
    await database.write(async (tx) => {
      // Reads in the order of a fixed set of rows, and never waits: two workers cannot block each other.
      const ids = [...new Set(chosen.map(({ queue }) => queue.webhook_id))]
      const webhooks = new Map((await lockFreeWebhooks(database, tx, ids)).map((row) => [row.id, row]))
      for (const { queue, release } of chosen) {
        const webhook = webhooks.get(queue.webhook_id)
        if (webhook === undefined || webhook.disabled_at !== null) continue
        if (webhook.paused_until > now && queue.due_at !== dueForPerson) continue
        const owner = claiming.newOwner()
        const leased = await leaseQueue(tx, queue, { owner, now, until: now + claiming.leaseFor })
        if (leased === null) continue
        const head = await headOf(tx, leased)
        if (head === undefined) {
          await deleteQueue(tx, leased)
          continue
        }
        claimed.push({ queue: leased, owner, webhook, head, release })
        if (!isBroken(webhook, claiming.schedule)) continue
        // One attempt shows whether the endpoint is back. The others wait for it.
        webhook.paused_until = now + claiming.leaseFor
        await updateWebhook(tx, webhook.id, { paused_until: webhook.paused_until })
      }
    })
  } catch (error) {
    for (const { release } of chosen) release()
    throw error
  }
  const kept = new Set(claimed.map(({ release }) => release))
  for (const { release } of chosen) if (!kept.has(release)) release()
  return claimed
}

/** Reliable, new and slow endpoints are asked for separately, or some could keep the others out of the list. */
async function candidates(
  database: Database,
  now: number,
  { slots, running, perWebhook, mostCandidates: most }: Omit<Claiming, 'schedule' | 'leaseFor' | 'newOwner'>,
): Promise<DueQueue[]> {
  const full = [...running].filter(([, count]) => count >= perWebhook).map(([id]) => id)
  const slow = [...slots.slow]
  const without = [...full, ...slow]
  const list = (which: Pick<DueQuestion, 'without' | 'only' | 'areReliable'>) =>
    dueQueues(database, { now, perWebhook, most, ...which })
  const reliable = await list({ areReliable: true, without })
  const others = slots.isFullForNew ? [] : await list({ areReliable: false, without })
  const ofSlow = slow.length === 0 || slots.isFullForSlow ? [] : await list({ only: slow, without: full })
  return [...[...reliable, ...others].toSorted((a, b) => a.due_at - b.due_at), ...ofSlow]
}

/** Accounts that hold the fewest slots come first, otherwise in the order given. */
function chooseWithinShares(
  due: readonly DueQueue[],
  { slots, running, perWebhook }: Pick<Claiming, 'slots' | 'running' | 'perWebhook'>,
): { queue: QueueRow; release: () => void }[] {
  const counts = new Map(running)
  const held = new Map(due.map(({ account_id }) => [account_id, slots.heldBy(account_id)]))
  const order = ({ account_id, rank }: DueQueue) => (held.get(account_id) ?? 0) + rank
  return due
    .toSorted((a, b) => order(a) - order(b))
    .flatMap((queue) => {
      const { webhook_id: webhookId, account_id: accountId, isReliable } = queue
      const count = counts.get(webhookId) ?? 0
      const release = count >= perWebhook ? null : slots.tryAcquire({ accountId, webhookId, isReliable })
      if (release === null) return []
      counts.set(webhookId, count + 1)
      return [{ queue, release }]
    })
}

/** Whether the circuit breaker is open. */
export function isBroken({ failures }: Pick<WebhookRow, 'failures'>, schedule: Schedule): boolean {
  return failures >= schedule.failuresUntilPaused
}
