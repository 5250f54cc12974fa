import { setTimeout as sleep } from 'node:timers/promises'
import type { Id } from '@masthead/contract/schemas/fields.ts'
import { second } from '../kernel/clock.ts'
import { FairSemaphore } from '../kernel/fair-queue.ts'

export interface DueWork<T> {
  /** Leases what has been due for longest, except of these accounts. Null if nothing is. */
  lease: (without: readonly Id<'account'>[]) => Promise<T | null>
  accountOf: (leased: T) => Id<'account'>
  /** Handles its own errors. */
  run: (leased: T) => Promise<void>
  concurrency?: number | undefined
  stopping?: AbortSignal | undefined
}

/** An account alone gets 7 of them: with dead nameservers, their questions are half of what `dns/` asks at once. */
const defaultConcurrency = 32
/** More are not remembered, because each is part of the query. */
const mostServed = 1_000

/**
 * Runs everything that is due, several at a time, and returns when nothing is due or in progress. What becomes due
 * meanwhile is run as well. One account never has more than a share of the free slots, and accounts are served
 * round-robin: work of another account waits for one slow check at most, however much is due for longer.
 */
export async function runDueWork<T>(work: DueWork<T>): Promise<void> {
  const { lease, accountOf, run, concurrency = defaultConcurrency, stopping } = work
  const slots = new FairSemaphore(concurrency)
  const underWay = new Map<Promise<void>, Id<'account'>>()
  /** Accounts that have had something leased in this round. */
  const served = new Set<Id<'account'>>()

  async function leaseNext(): Promise<T | null> {
    const full = new Set(underWay.values().filter((account) => !slots.hasRoomFor(account)))
    const ofOthers = served.size === 0 ? null : await lease([...full.union(served)])
    if (ofOthers !== null) return ofOthers
    served.clear()
    return lease([...full])
  }

  function start(leased: T): void {
    const account = accountOf(leased)
    slots.tryAcquire(account)
    served.add(account)
    if (served.size > mostServed) served.clear()
    const running: Promise<void> = run(leased).finally(() => {
      underWay.delete(running)
      slots.release(account)
    })
    underWay.set(running, account)
  }

  try {
    while (stopping?.aborted !== true) {
      const leased = slots.isFull ? null : await leaseNext()
      if (leased !== null) start(leased)
      else if (underWay.size === 0) return
      else await firstOf(underWay.keys(), second)
    }
  } finally {
    await Promise.all(underWay.keys())
  }
}

async function firstOf(underWay: Iterable<Promise<void>>, milliseconds: number): Promise<void> {
  const done = new AbortController()
  const timer = sleep(milliseconds, undefined, { signal: done.signal }).catch(() => {})
  await Promise.race([...underWay, timer])
  done.abort()
}
