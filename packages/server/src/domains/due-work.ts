import { setTimeout as sleep } from 'node:timers/promises'
import type { Id } from '@masthead/contract/schemas/fields.ts'
import { second } from '../kernel/clock.ts'
import { FairSemaphore } from '../kernel/fair-queue.ts'
import type { DueSpan } from './due-store.ts'

export interface DueWork<T> {
  now: () => number | Promise<number>
  /** The accounts of everything that became due in this time. */
  accounts: (span: DueSpan) => Promise<Id<'account'>[]>
  /** Leases what has been due for longest of an account. Null if nothing is. */
  lease: (account: Id<'account'>, now: number) => Promise<T | null>
  /** Handles its own errors. */
  run: (leased: T) => Promise<void>
  concurrency?: number | undefined
  stopping?: AbortSignal | undefined
}

/** An account alone gets 7 of them: with dead nameservers, their questions are half of what `dns/` asks at once. */
const defaultConcurrency = 32
/** Finds what another worker had leased and did not finish, or will try again. */
const rereadAfter = 10 * second
/** A row may be stored some time after the moment at which it is due, or by a node whose clock is behind. */
const storedWithin = 2 * second

/**
 * Runs everything that is due, several at a time, and returns when nothing is due or in progress. What becomes due
 * meanwhile is run as well. One account never has more than a share of the free slots, and accounts are served
 * round-robin: work of another account waits for one slow check at most, however much is due for longer.
 *
 * We remember which accounts have something due, and read only what became due since. So an account that waits for its
 * slots costs nothing, however much of it is due.
 */
export async function runDueWork<T>(work: DueWork<T>): Promise<void> {
  const { now, accounts, lease, run, concurrency = defaultConcurrency, stopping } = work
  const slots = new FairSemaphore(concurrency)
  const underWay = new Set<Promise<void>>()
  /** Accounts that may have something due, in the order they are served. */
  const waiting = new Set<Id<'account'>>()
  let readUntil = 0
  let rereadAt = 0

  async function readAccounts(at: number): Promise<void> {
    if (at >= rereadAt) {
      readUntil = 0
      rereadAt = at + rereadAfter
    }
    for (const account of await accounts({ since: readUntil, now: at })) waiting.add(account)
    readUntil = at - storedWithin
  }

  async function startNext(): Promise<boolean> {
    const at = await now()
    await readAccounts(at)
    for (const account of waiting) {
      if (!slots.hasRoomFor(account)) continue
      waiting.delete(account)
      const leased = await lease(account, at)
      if (leased === null) continue
      waiting.add(account)
      start(account, leased)
      return true
    }
    return false
  }

  function start(account: Id<'account'>, leased: T): void {
    slots.tryAcquire(account)
    const running: Promise<void> = run(leased).finally(() => {
      underWay.delete(running)
      slots.release(account)
    })
    underWay.add(running)
  }

  try {
    while (stopping?.aborted !== true) {
      if (!slots.isFull && (await startNext())) continue
      if (underWay.size === 0) return
      await firstOf(underWay, second)
    }
  } finally {
    await Promise.all(underWay)
  }
}

async function firstOf(underWay: Iterable<Promise<void>>, milliseconds: number): Promise<void> {
  const done = new AbortController()
  const timer = sleep(milliseconds, undefined, { signal: done.signal }).catch(() => {})
  await Promise.race([...underWay, timer])
  done.abort()
}
