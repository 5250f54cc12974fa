import { setImmediate } from 'node:timers/promises'
import { until } from '@masthead/testing/until.ts'
import { sql } from 'kysely'
import type { Database } from './database.ts'

/** Runs `work` when the next transaction would begin. */
export function beforeNextWrite(database: Database, work: () => Promise<unknown>): void {
  const { write } = database
  database.write = async (change) => {
    database.write = write
    await work()
    return write(change)
  }
}

/** Runs `work` once the next transaction is committed, before the code that waits for it continues. */
export function afterNextWrite(database: Database, work: () => Promise<unknown>): void {
  const { write } = database
  database.write = async (change) => {
    database.write = write
    const result = await write(change)
    await work()
    return result
  }
}

/**
 * Runs `first`, and `second` while the first transaction of `first` has done everything but commit. That one is
 * committed once `second` has ended, or so many of its transactions wait.
 */
export async function overlap<A, B>(
  database: Database,
  first: () => Promise<A>,
  second: () => Promise<B>,
  { waiting = 1 } = {},
): Promise<[A, B]> {
  const { write } = database
  const reached = Promise.withResolvers<void>()
  const released = Promise.withResolvers<void>()
  database.write = (change) => {
    database.write = write
    return write(async (tx) => {
      const result = await change(tx)
      reached.resolve()
      await released.promise
      return result
    })
  }
  const running = first()
  await reached.promise
  const meanwhile = second()
  await Promise.race([meanwhile, untilWaiting(database, waiting)])
  released.resolve()
  return Promise.all([running, meanwhile])
}

/** Until this many transactions wait for locks. SQLite cannot be asked meanwhile: there, all wait for one connection. */
export async function untilWaiting(database: Database, count: number): Promise<void> {
  if (database.dialect === 'sqlite') {
    await setImmediate()
    return
  }
  await until(async () => {
    const { rows } = await sql<{ pid: number }>`
      select pid from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'
    `.execute(database.read)
    return rows.length >= count
  })
}
