import { setTimeout as sleep } from 'node:timers/promises'
import { type Clock, minute, second } from '../kernel/clock.ts'
import type { EdgeChild } from './edge-child.ts'

/** A process that was killed once restarts almost immediately; one that cannot run, every half minute. */
const backoffSteps = [0.1, 0.5, 1, 2, 5, 10, 30].map((seconds) => seconds * second)
/** A process that ran this long has no trouble starting. */
const stableAfter = minute

/** Early exits in a row, including this one. */
export function countEarlyExits(before: number, uptime: number): number {
  return uptime < stableAfter ? before + 1 : 1
}

export function restartBackoff(early: number): number {
  return backoffSteps[Math.min(Math.max(early, 1), backoffSteps.length) - 1] ?? stableAfter
}

export interface EdgePoolParts {
  size: number
  fork: () => EdgeChild
  now: Clock
  log: { error(details: object, message: string): void }
}

export interface EdgePool {
  /** Resolves when all of them serve. If one cannot start, stops all and rejects. */
  readonly started: Promise<void>
  /** How many are serving now. */
  serving(): number
  /** Resolves when every process has read all changes committed before the call, except those not responding. */
  catchUp(): Promise<void>
  stop(graceMs: number): Promise<void>
}

/** Keeps a number of edge processes running. */
export function startEdgePool({ size, fork, now, log }: EdgePoolParts): EdgePool {
  const stopping = new AbortController()
  const children = new Set<EdgeChild>()

  function begin(): EdgeChild {
    const child = fork()
    children.add(child)
    return child
  }

  async function keepRunning(first: EdgeChild): Promise<void> {
    let child = first
    for (let early = 0; ; child = begin()) {
      const startedAt = now()
      const how = await child.ended
      children.delete(child)
      if (stopping.signal.aborted) return
      early = countEarlyExits(early, now() - startedAt)
      const pause = restartBackoff(early)
      log.error({ edge: child.pid, how, pause }, 'an edge process ended and will be restarted')
      await sleep(pause, undefined, { signal: stopping.signal }).catch(() => {})
      if (stopping.signal.aborted) return
    }
  }

  async function stop(graceMs: number): Promise<void> {
    stopping.abort()
    await Promise.all([...children].map((child) => child.stop(graceMs)))
    await Promise.all(running)
  }

  const firsts = Array.from({ length: size }, begin)
  const running = firsts.map(keepRunning)
  const allServe = Promise.all(firsts.map(({ serving }) => serving))
  return {
    started: allServe.then(noValue, async (error: unknown) => {
      await stop(0)
      throw error
    }),
    serving: () => [...children].filter((child) => child.isServing()).length,
    async catchUp() {
      await Promise.all([...children].map((child) => child.catchUp()))
    },
    stop,
  }
}

function noValue(): void {}
