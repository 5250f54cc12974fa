import { randomBytes } from 'node:crypto'
import { setImmediate as immediate } from 'node:timers/promises'
import { second } from '../../kernel/clock.ts'
import type { CertificateContext } from '../context.ts'
import { type Burst, concurrencyOf, pauseAfter, type Ramp, ramps, untilMore } from './concurrency-ramp.ts'
import { type DomainHooks, runJob } from './issuance-job.ts'
import {
  type ClaimedJob,
  claimDueJobs,
  endAllLeases,
  extendLeases,
  heartbeatInterval,
  nextJobAt,
} from './job-store.ts'

export interface CertificateWorkerOptions extends DomainHooks {
  concurrency?: number
}

export interface CertificateWorker {
  /** Resolves when what is under way has come to its end or was put down. */
  stop(): Promise<void>
}

const usualConcurrency = 50
/** After a crash of another process its jobs become due without anybody saying so. */
const longestSleep = 10 * second
/** What is due and yet not to be had is just being taken, or changed, by somebody else. */
const shortestSleep = 10
const pauseAfterFault = 5 * second

/**
 * Gets every certificate that is due, as soon as it is: requests wake this, wherever they are made, and so does the
 * end of an attempt. Any number of processes may do this; each job is with one of them.
 */
export function startCertificateWorker(
  context: CertificateContext,
  options: CertificateWorkerOptions,
): CertificateWorker {
  const { database, now, changes } = context
  const { concurrency = usualConcurrency, log } = options
  const owner = randomBytes(8).toString('hex')
  const stopping = new AbortController()
  const waker = createWaker()
  const underWay = new Map<ClaimedJob, Promise<void>>()
  let claims = 0
  let hasBegun = false
  /** Null: there is nothing to do. */
  let burst: Burst | null = null
  /** The attempt that ended last. */
  let last = { took: 0, endedAt: 0 }

  const begin = (ramp: Ramp): Burst => ({ since: now(), ramp, ended: 0 })

  /** Takes what is due, and says how long until there may be more. */
  async function takeDue(): Promise<number> {
    const current = burst ?? begin(ramps.usual)
    const onAverage = concurrencyOf(current, now(), concurrency)
    const free = Math.max(Math.floor(onAverage), 1) - underWay.size
    const untilNext = onAverage < concurrency ? untilMore(current, now()) : longestSleep
    if (free <= 0) return untilNext
    const rest = last.endedAt + pauseAfter(last.took, onAverage) - now()
    if (rest > 0) return Math.min(rest, untilNext)
    const claim = { owner: `${owner}-${claims++}`, now: now(), most: free }
    const jobs = await claimDueJobs(database, claim)
    if (jobs.some(({ isTakenOver }) => isTakenOver) && current.ramp !== ramps.afterCrash) {
      burst = begin(ramps.afterCrash)
    } else if (jobs.length === 0 && underWay.size === 0) {
      burst = null
    } else {
      burst = current
    }
    for (const job of jobs) {
      const beganAt = now()
      const flight = runJob(context, job, options, stopping.signal).finally(() => {
        underWay.delete(job)
        last = { took: now() - beganAt, endedAt: now() }
        if (burst !== null) burst.ended++
        waker.wake()
      })
      underWay.set(job, flight)
    }
    if (jobs.length === free) return untilNext
    const next = await nextJobAt(database.read, now())
    return next === null ? longestSleep : Math.min(Math.max(next - now(), shortestSleep), longestSleep)
  }

  /** No other process works on SQLite: what somebody had when this one starts, nobody has any more. */
  async function look(): Promise<number> {
    if (!hasBegun) {
      if (database.dialect === 'sqlite') await endAllLeases(database)
      // What is due by now was left by a process that may have been killed, between two attempts as well.
      burst = begin(ramps.afterCrash)
      hasBegun = true
    }
    return takeDue()
  }

  async function run(): Promise<void> {
    while (!stopping.signal.aborted) {
      const pause = await look().catch((err: unknown) => {
        log.error({ err }, 'due certificates could not be looked for')
        return pauseAfterFault
      })
      await waker.sleep(pause)
    }
    await Promise.all(underWay.values())
  }

  const heartbeat = setInterval(() => {
    extendLeases(database, [...underWay.keys()], now()).catch((err: unknown) => {
      log.error({ err }, 'the leases of certificates under way could not be kept')
    })
  }, heartbeatInterval).unref()
  const unsubscribe = changes.subscribe((change) => {
    if (change === null || change.kind === 'certificate_due') waker.wake()
  })
  const running = run()
  return {
    async stop() {
      stopping.abort()
      unsubscribe()
      waker.wake()
      await running
      clearInterval(heartbeat)
    },
  }
}

/** Somebody who sleeps until it is time, or until woken. A call while nobody sleeps ends the next sleep at once. */
export interface Waker {
  wake(): void
  sleep(milliseconds: number): Promise<void>
}

export function createWaker(): Waker {
  let called = false
  let sleeper: (() => void) | null = null
  return {
    wake() {
      called = true
      sleeper?.()
    },
    async sleep(milliseconds) {
      if (!called && milliseconds > 0) {
        const { promise, resolve } = Promise.withResolvers<void>()
        sleeper = resolve
        const timer = setTimeout(resolve, milliseconds).unref()
        await promise
        clearTimeout(timer)
        sleeper = null
      }
      called = false
      // SQLite answers without a turn of the event loop: who is called again and again must not keep it from others.
      await immediate()
    },
  }
}
