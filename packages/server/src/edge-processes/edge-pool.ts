import { setTimeout as sleep } from 'node:timers/promises'
import { type Clock, minute, second, waitAfter } from '../kernel/clock.ts'
import { stopSignals } from '../kernel/program/process-lifetime.ts'
import type { ListeningSocket } from '../kernel/sockets/listening-socket.ts'
import type { EdgeChild } from './edge-child.ts'
import type { EdgeMetrics, ProcessMetrics } from './gathered-metrics.ts'

/** A process that was killed once restarts almost immediately; one that cannot run, every half minute. */
const backoffSteps = [0.1, 0.5, 1, 2, 5, 10, 30].map((seconds) => seconds * second)
/** A process that ran this long has no trouble starting. */
const stableAfter = minute

/** Early exits in a row, including this one. */
export function countEarlyExits(before: number, uptime: number): number {
  return uptime < stableAfter ? before + 1 : 1
}

export function restartBackoff(early: number): number {
  return waitAfter(early, backoffSteps)
}

export interface EdgePoolParts {
  size: number
  fork: () => EdgeChild
  /** Whether this process has been asked to stop. */
  isLeaving: () => boolean
  now: Clock
  log: { error(details: object, message: string): void }
}

export interface EdgePool {
  /** Resolves when all of them serve. If one cannot start, stops all and rejects. */
  readonly started: Promise<void>
  /** How many are serving now. */
  serving(): number
  /** How many ended without being asked to, since the start. */
  exits(): number
  /** Resolves when every process has read all changes committed before the call, except those not responding. */
  catchUp(): Promise<void>
  /** Of those that answer, by a number from 1 to the size, which a process has from the one it replaces. */
  metrics(): Promise<EdgeMetrics>
  /** The sockets that the processes listen on. */
  sockets(): Promise<ListeningSocket[]>
  stop(graceMs: number, idleMs?: number): Promise<void>
}

/** Keeps a number of edge processes running. */
export function startEdgePool({ size, fork, isLeaving, now, log }: EdgePoolParts): EdgePool {
  const stopping = new AbortController()
  /** With their numbers. */
  const children = new Map<EdgeChild, number>()
  let exits = 0

  function begin(number: number): EdgeChild {
    const child = fork()
    children.set(child, number)
    return child
  }

  /** Resolves or rejects `start` when the first process serves or has failed. */
  async function keepRunning(number: number, start: PromiseWithResolvers<void>): Promise<void> {
    let hasServed = false
    for (let early = 0; ; ) {
      const child = begin(number)
      child.serving.then(
        () => {
          hasServed = true
          start.resolve()
        },
        () => {},
      )
      const startedAt = now()
      const how = await child.ended
      children.delete(child)
      // A stop signal for all processes of the server may reach this one later. Then the start has not failed.
      if (!stopSignals.some((signal) => signal === how)) child.serving.catch(start.reject)
      if (stopping.signal.aborted) return
      exits++
      early = countEarlyExits(early, now() - startedAt)
      const pause = restartBackoff(early)
      log.error({ edge: child.pid, how, pause }, 'an edge process ended and will be restarted')
      await sleep(pause, undefined, { signal: stopping.signal }).catch(() => {})
      if (stopping.signal.aborted) return
      if (isLeaving() && !hasServed) return child.serving.catch(start.reject)
    }
  }

  async function stop(graceMs: number, idleMs?: number): Promise<void> {
    stopping.abort()
    await Promise.all(Array.from(children.keys(), (child) => child.stop(graceMs, idleMs)))
    await Promise.all(running)
  }

  const starts = Array.from({ length: size }, () => Promise.withResolvers<void>())
  const running = starts.map((start, index) => keepRunning(index + 1, start))
  const allServe = Promise.all(starts.map(({ promise }) => promise))
  return {
    started: allServe.then(noValue, async (error: unknown) => {
      await stop(0)
      throw error
    }),
    serving: () =>
      children
        .keys()
        .filter((child) => child.isServing())
        .toArray().length,
    exits: () => exits,
    async catchUp() {
      await Promise.all(Array.from(children.keys(), (child) => child.catchUp()))
    },
    async metrics() {
      const found = new Map<number, ProcessMetrics>()
      const read = async ([child, number]: [EdgeChild, number]) => {
        const metrics = child.isServing() ? await child.metrics() : null
        if (metrics !== null) found.set(number, metrics)
      }
      await Promise.all(Array.from(children, read))
      return found
    },
    sockets: async () => (await Promise.all(Array.from(children.keys(), (child) => child.sockets()))).flat(),
    stop,
  }
}

function noValue(): void {}
