import { randomBytes } from 'node:crypto'
import { createWaker } from '../../events/waker.ts'
import { exactTime, second } from '../../kernel/clock.ts'
import { FairSemaphore } from '../../kernel/fair-queue.ts'
import {
  type Burst,
  concurrencyOf,
  pauseAfter,
  type Ramp,
  ramps,
  slotsFor,
  untilMore,
  untilSlow,
} from './concurrency-ramp.ts'
import { type DomainHooks, runJob } from './issuance-job.ts'
import type { CertificateContext } from './issuer.ts'
import type { ClaimedJob } from './job.ts'
import { claimDueJobs, endAllLeases, extendLeases, heartbeatInterval } from './job-lease-store.ts'
import { nextJobAt } from './job-store.ts'

export interface CertificateWorkerOptions extends DomainHooks {
  concurrency?: number
  /** Whether another process may run jobs too. On SQLite that is only one that this process replaces. */
  isAlone?: boolean
}

export interface CertificateWorker {
  /** Resolves when all running jobs have finished or been released. */
  stop(): Promise<void>
}

/** An account alone gets 10 of them, so that those of others need not wait while a CA does not finish its orders. */
const defaultConcurrency = 50
/** When another process crashes, its jobs become due without a notification. */
const longestSleep = 10 * second
/** A job that is due but cannot be claimed is just being claimed or changed by another process. */
const shortestSleep = 10
const pauseAfterFault = 5 * second

/**
 * Runs certificate jobs as soon as they are due. A request from any process wakes it, and so does the end of an
 * attempt. Any number of processes can run a worker; the lease keeps each job with one of them.
 */
export function startCertificateWorker(
  context: CertificateContext,
  options: CertificateWorkerOptions,
): CertificateWorker {
  const { database, now, changes } = context
  const { concurrency = defaultConcurrency, isAlone = database.dialect === 'sqlite', log } = options
  const owner = randomBytes(8).toString('hex')
  const stopping = new AbortController()
  const waker = createWaker()
  const running = new Map<ClaimedJob, { startedAt: number; ended: Promise<void> }>()
  const slots = new FairSemaphore(concurrency)
  let claims = 0
  let hasStarted = false
  /** Null while there is nothing to do. */
  let burst: Burst | null = null
  /** The attempt that finished last. */
  let last = { took: 0, finishedAt: 0 }
  /** The ramp goes by a clock that nobody sets back. */
  const elapsed = () => performance.now()

  const startBurst = (ramp: Ramp): Burst => ({ since: elapsed(), ramp, finished: 0 })

  /** Starts jobs that are due. Returns how long to sleep until there may be more. */
  async function startDueJobs(): Promise<number> {
    const current = burst ?? startBurst(ramps.usual)
    const average = concurrencyOf(current, elapsed(), concurrency)
    const taking = () => [...running.values()].map(({ startedAt }) => elapsed() - startedAt)
    slots.resize(slotsFor(average, taking(), concurrency))
    const untilGrown = average < concurrency ? untilMore(current, elapsed()) : longestSleep
    const untilNext = () => Math.min(untilGrown, untilSlow(taking()))
    if (slots.isFull) return untilNext()
    const pause = last.finishedAt + pauseAfter(last.took, average) - elapsed()
    if (pause > 0) return Math.min(pause, untilNext())
    const claim = { owner: `${owner}-${claims++}`, now: await exactTime(now), slots }
    const jobs = await claimDueJobs(database, claim)
    if (jobs.some(({ isTakenOver }) => isTakenOver) && current.ramp !== ramps.afterCrash) {
      burst = startBurst(ramps.afterCrash)
    } else if (jobs.length === 0 && running.size === 0) {
      burst = null
    } else {
      burst = current
    }
    for (const job of jobs) {
      const startedAt = elapsed()
      const ended = runJob(context, job, options, stopping.signal).finally(() => {
        running.delete(job)
        slots.release(job.row.account_id)
        last = { took: elapsed() - startedAt, finishedAt: elapsed() }
        if (burst !== null) burst.finished++
        waker.wake()
      })
      running.set(job, { startedAt, ended })
    }
    if (slots.isFull) return untilNext()
    // Jobs of accounts that have their share become claimable when another ends, or when concurrency grows.
    const next = await nextJobAt(database.read, now(), slots.saturated)
    const untilDue = next === null ? longestSleep : Math.max(next - now(), shortestSleep)
    return Math.min(untilDue, untilNext(), longestSleep)
  }

  async function poll(): Promise<number> {
    if (!hasStarted) {
      // Then leases found at startup belong to a dead process.
      if (isAlone) await endAllLeases(database)
      // The previous process may have been killed, even between two attempts, so start slowly.
      burst = startBurst(ramps.afterCrash)
      hasStarted = true
    }
    return startDueJobs()
  }

  async function run(): Promise<void> {
    while (!stopping.signal.aborted) {
      const pause = await poll().catch((err: unknown) => {
        log.error({ err }, 'could not look for due certificate jobs')
        return pauseAfterFault
      })
      await waker.sleep(pause)
    }
    await Promise.all([...running.values()].map(({ ended }) => ended))
  }

  const heartbeat = setInterval(() => {
    if (running.size === 0) return
    exactTime(now)
      .then((at) => extendLeases(database, [...running.keys()], at))
      .catch((err: unknown) => {
        log.error({ err }, 'could not extend the leases of running certificate jobs')
      })
  }, heartbeatInterval).unref()
  const unsubscribe = changes.subscribe((change) => {
    if (change === null || change.kind === 'certificate_due') waker.wake()
  })
  const stopped = run()
  return {
    async stop() {
      stopping.abort()
      unsubscribe()
      waker.wake()
      await stopped
      clearInterval(heartbeat)
    },
  }
}
