import { randomBytes } from 'node:crypto'
import { webhookLimits } from '@masthead/contract/webhooks/webhooks.ts'
import type { Database } from '../../database/database.ts'
import type { ChangeFeed } from '../../events/change-feed.ts'
import { createWaker } from '../../events/waker.ts'
import { type Clock, day, exactTime, isoTime, second } from '../../kernel/clock.ts'
import { TargetError } from '../../outgoing/target.ts'
import type { Sealing } from '../../secrets/sealing.ts'
import { openSecrets } from '../secrets.ts'
import { deleteBeyond, deleteFinishedBefore } from '../store.ts'
import { type Attempt, messageId } from '../webhook.ts'
import { bodyIn } from './body.ts'
import { claimQueues } from './claim.ts'
import { readOutbox } from './outbox.ts'
import { waitingWork } from './outbox-store.ts'
import { type ClaimedQueue, endAllLeases, nextDueAt, releaseQueue } from './queue-store.ts'
import { recordAttempt } from './record-attempt.ts'
import { type Schedule, schedule as usualSchedule } from './schedule.ts'
import { longestSend, type Sending, type SendTimeouts, send, sendTimeouts } from './send.ts'
import { signedHeaders } from './sign.ts'
import { DeliverySlots } from './slots.ts'

export interface WebhookContext extends Pick<Sending, 'dns' | 'rules'> {
  database: Database
  now: Clock
  changes: Pick<ChangeFeed, 'subscribe'>
  sealing: Sealing
}

export interface WebhookWorkerOptions {
  log: { error(details: object, message: string): void }
  /** Whether no other process uses this database. */
  isAlone: boolean
  schedule?: Schedule
  timeouts?: SendTimeouts
  concurrency?: number
  /** How long an attempt takes that makes an endpoint a slow one. */
  slowAfter?: number
  /** After this time, a claim ends with the attempt that is under way. */
  claimFor?: number
  /** How long a stop waits for answers. */
  stopGrace?: number
}

export interface WebhookWorker {
  /** Resolves when running deliveries have ended. Those without an answer soon are left to another worker. */
  stop(): Promise<void>
}

const defaultConcurrency = 64
/** Of different resources, to one endpoint. */
const perWebhook = 4
/** Then other queues have a chance: after this many deliveries, or this time. */
const deliveriesPerClaim = 25
const usualClaimFor = 3 * second
const mostCandidates = 200
const longestSleep = 5 * second
const shortestSleep = 10
const pauseAfterFault = 2 * second
const usualStopGrace = 2 * second
/** Added to the longest possible attempt. */
const leaseMargin = 30 * second

/**
 * Sends what is due, to many endpoints at a time. A commit of any process wakes it. Any number of processes can run a
 * worker: a lease keeps each queue, which is one webhook and one resource, with one of them.
 */
export function startWebhookWorker(context: WebhookContext, options: WebhookWorkerOptions): WebhookWorker {
  const { database, now, sealing, changes } = context
  const { log, schedule = usualSchedule, timeouts = sendTimeouts, claimFor = usualClaimFor } = options
  const leaseFor = longestSend(timeouts) + leaseMargin
  const slots = new DeliverySlots(options.concurrency ?? defaultConcurrency, options.slowAfter)
  const process = randomBytes(8).toString('hex')
  const stopping = new AbortController()
  const cutOff = new AbortController()
  const waker = createWaker()
  const running = new Map<ClaimedQueue['webhook']['id'], number>()
  const underWay = new Set<Promise<void>>()
  /** Webhooks whose log has grown. */
  const grown = new Set<ClaimedQueue['webhook']['id']>()
  let claims = 0
  let prunedAt = 0

  const claiming = {
    schedule,
    leaseFor,
    slots,
    running,
    perWebhook,
    mostCandidates,
    newOwner: () => `${process}-${claims++}`,
  }

  async function attempt({ webhook, head }: ClaimedQueue) {
    const at = now()
    const startedAt = performance.now()
    const body = bodyIn(webhook.format, head.payload)
    const headers = signedHeaders({ id: messageId(head), at, body }, openSecrets(sealing, webhook, at))
    const result = await send({ ...context, timeouts, stopping: cutOff.signal }, webhook.url, {
      headers,
      body,
    }).catch((error: unknown) => {
      // Then it is not the endpoint that failed.
      cutOff.signal.throwIfAborted()
      if (error instanceof TargetError) return error.message
      throw error
    })
    const outcome = { at: isoTime(at), ms: Math.round(performance.now() - startedAt) }
    return typeof result === 'string'
      ? {
          attempt: { ...outcome, status: null, error: result, answer: null } satisfies Attempt,
          retryAfter: null,
        }
      : {
          attempt: { ...outcome, status: result.status, error: null, answer: result.text } satisfies Attempt,
          retryAfter: result.retryAfter,
        }
  }

  async function deliver(first: ClaimedQueue): Promise<void> {
    let claimed: ClaimedQueue | null = first
    const startedAt = performance.now()
    for (let count = 1; claimed !== null && !stopping.signal.aborted; count++) {
      const result = await attempt(claimed)
      slots.noteAttempt(first.webhook.id, result.attempt.ms)
      const at = await exactTime(now)
      const continues = count < deliveriesPerClaim && performance.now() - startedAt < claimFor
      const leaseUntil = continues ? at + leaseFor : null
      claimed = await recordAttempt(database, claimed, result.attempt, {
        schedule,
        now: at,
        leaseUntil,
        retryAfter: result.retryAfter,
      })
      grown.add(first.webhook.id)
    }
    if (claimed !== null) await releaseQueue(database, claimed)
  }

  function start(claimed: ClaimedQueue): void {
    const { webhook_id } = claimed.queue
    running.set(webhook_id, (running.get(webhook_id) ?? 0) + 1)
    const run = deliver(claimed)
      .catch((err: unknown) => {
        if (!stopping.signal.aborted)
          log.error({ err, webhook: webhook_id }, 'a webhook could not be delivered')
        // If this fails too, the lease ends sometime.
        if (stopping.signal.aborted) return releaseQueue(database, claimed).catch(() => {})
      })
      .finally(() => {
        underWay.delete(run)
        claimed.release()
        const left = (running.get(webhook_id) ?? 1) - 1
        if (left > 0) running.set(webhook_id, left)
        else running.delete(webhook_id)
        waker.wake()
      })
    underWay.add(run)
  }

  /** Returns how long to sleep until there may be more to do. */
  async function poll(): Promise<number> {
    const { hasEvents, dueAt } = await waitingWork(database.read)
    const hasMore = hasEvents && (await readOutbox(context))
    const isDue = hasEvents || (dueAt !== null && dueAt <= now())
    if (isDue && !slots.isFull) {
      for (const claimed of await claimQueues(database, { ...claiming, now: await exactTime(now) }))
        start(claimed)
    }
    await prune()
    if (hasMore) return 0
    const due = isDue ? await nextDueAt(database.read, now()) : dueAt
    return due === null ? longestSleep : Math.min(Math.max(due - now(), shortestSleep), longestSleep)
  }

  /** Keeps the log small: by number for webhooks that were used, by age for all. */
  async function prune(): Promise<void> {
    if (now() - prunedAt < pruneEvery) return
    prunedAt = now()
    for (const id of grown) await database.write((tx) => deleteBeyond(tx, id, webhookLimits.deliveriesKept))
    grown.clear()
    const oldest = now() - webhookLimits.daysKept * day
    while (await database.write((tx) => deleteFinishedBefore(tx, oldest, pruneBatch)));
  }

  async function run(): Promise<void> {
    if (options.isAlone)
      await endAllLeases(database).catch((err: unknown) => log.error({ err }, 'could not end leases'))
    while (!stopping.signal.aborted) {
      const pause = await poll().catch((err: unknown) => {
        if (!stopping.signal.aborted) log.error({ err }, 'could not look for webhooks to deliver')
        return pauseAfterFault
      })
      await waker.sleep(pause)
    }
    await Promise.all(underWay)
  }

  const unsubscribe = changes.subscribe((change) => {
    if (change === null || change.kind === 'account') waker.wake()
  })
  const stopped = run()
  return {
    async stop() {
      stopping.abort()
      unsubscribe()
      waker.wake()
      const timer = setTimeout(() => cutOff.abort(), options.stopGrace ?? usualStopGrace)
      await stopped
      clearTimeout(timer)
    },
  }
}

const pruneEvery = 10 * second
const pruneBatch = 500
