import type { DisabledReason } from '@masthead/contract/webhooks/webhooks.ts'
import type { Database, Tx } from '../../database/database.ts'
import { recordEvent, system } from '../../events/record-event.ts'
import { disableWebhook } from '../disable-webhook.ts'
import { type DeliveryRow, lockWebhook, updateWebhook, type WebhookRow } from '../store.ts'
import type { Attempt } from '../webhook.ts'
import { isBroken } from './claim.ts'
import {
  type ClaimedQueue,
  delayQueues,
  deleteQueue,
  failPending,
  headOf,
  hurryQueues,
  isStillOurs,
  updateDelivery,
  updateQueue,
} from './queue-store.ts'
import { breakerPause, pauseAfter, type Schedule } from './schedule.ts'

export interface Recording {
  schedule: Schedule
  now: number
  /** Until when the claim goes on with the next delivery; null: it ends. */
  leaseUntil: number | null
  retryAfter: number | null
}

const maxAttemptsKept = 20

/**
 * Stores what became of an attempt. Returns the claim with the next delivery of the queue, or null if there is none or
 * the claim has ended. If the claim was lost to another worker, nothing is stored: that one delivers again.
 */
export function recordAttempt(
  database: Database,
  claimed: ClaimedQueue,
  attempt: Attempt,
  recording: Recording,
): Promise<ClaimedQueue | null> {
  return database.write(async (tx) => {
    const webhook = await lockWebhook(database, tx, claimed.webhook.id)
    if (webhook === undefined || webhook.disabled_at !== null) return null
    if (!(await isStillOurs(tx, claimed))) return null
    const isSuccess = attempt.status !== null && attempt.status >= 200 && attempt.status < 300
    await storeAttempt(tx, claimed.head, attempt, isSuccess ? recording.now : null)
    return isSuccess
      ? afterSuccess(tx, claimed, webhook, recording)
      : afterFailure(tx, claimed, webhook, { ...recording, status: attempt.status })
  })
}

/** Only the latest attempt keeps the text of its answer. */
async function storeAttempt(
  tx: Tx,
  head: DeliveryRow,
  attempt: Attempt,
  deliveredAt: number | null,
): Promise<void> {
  const before = (JSON.parse(head.attempts) as Attempt[]).map((one) => ({ ...one, answer: null }))
  await updateDelivery(tx, head.id, {
    attempts: JSON.stringify([...before, attempt].slice(-maxAttemptsKept)),
    attempt_count: head.attempt_count + 1,
    ...(deliveredAt === null ? {} : { state: 'delivered', finished_at: deliveredAt }),
  })
}

async function afterSuccess(
  tx: Tx,
  claimed: ClaimedQueue,
  webhook: WebhookRow,
  { schedule, now, leaseUntil }: Recording,
): Promise<ClaimedQueue | null> {
  await updateWebhook(tx, webhook.id, {
    failures: 0,
    failing_since: null,
    paused_until: 0,
    delivered_at: now,
  })
  if (isBroken(webhook, schedule)) await hurryQueues(tx, webhook.id, now)
  const { queue } = claimed
  const head = await headOf(tx, queue)
  if (head === undefined) {
    await deleteQueue(tx, queue)
    return null
  }
  if (leaseUntil === null) {
    await updateQueue(tx, queue, { due_at: now, lease_owner: null, lease_until: 0 })
    return null
  }
  await updateQueue(tx, queue, { due_at: now, lease_until: leaseUntil })
  return { ...claimed, webhook, head }
}

async function afterFailure(
  tx: Tx,
  { queue, head }: ClaimedQueue,
  webhook: WebhookRow,
  { schedule, now, retryAfter, status }: Recording & { status: number | null },
): Promise<null> {
  const failures = webhook.failures + 1
  const failingSince = webhook.failing_since ?? now
  const pause = breakerPause(schedule, failures)
  const pausedUntil = pause === 0 ? 0 : now + pause
  await updateWebhook(tx, webhook.id, { failures, failing_since: failingSince, paused_until: pausedUntil })
  const reason: DisabledReason | null =
    status === 410 ? 'gone' : now - failingSince >= schedule.disableAfter ? 'failing' : null
  if (reason !== null) {
    await disableWebhook(tx, webhook.id, { reason, at: now })
    const { account_id: accountId, id: webhookId, url } = webhook
    const data = { webhookId, host: new URL(url).host, reason }
    await recordEvent(tx, { accountId, type: 'webhook.disabled', by: system, at: now, data })
    return null
  }
  // Those behind it had to wait for it, so their time is over as well.
  const createdUntil = now - schedule.giveUpAfter
  await failPending(tx, webhook.id, { now, resource: queue.resource, createdUntil })
  const attempts = head.created_at <= createdUntil ? 1 : head.attempt_count + 1
  const due = now + pauseAfter(schedule, attempts, { retryAfter })
  const next = await headOf(tx, queue)
  if (next === undefined) await deleteQueue(tx, queue)
  else await updateQueue(tx, queue, { due_at: due, lease_owner: null, lease_until: 0 })
  if (pausedUntil > 0) await delayQueues(tx, webhook.id, pausedUntil)
  return null
}
