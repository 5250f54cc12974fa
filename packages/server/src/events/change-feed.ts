import { hour } from '../clock.ts'
import type { Context } from '../database/context.ts'
import { lock, type Tx } from '../database/database.ts'

/** A notice that something that others may have cached is no longer as it was. */
export interface Change {
  kind: 'project'
  subject: string
}

export interface ChangeFeed {
  /** Notes a change in the transaction that makes it. */
  record(tx: Tx, change: Change): Promise<void>
  /** `null` says: notices were lost, trust nothing. */
  subscribe(listener: (change: Change | null) => void): void
  /** Reads what is new. Runs by itself after every commit of this process and once a second for those of others. */
  catchUp(): Promise<void>
  close(): void
}

const pollEvery = 1_000
const keptFor = hour

/**
 * Changes are rows with a sequence, so a reader that was away reads what it missed. The lock makes the order of
 * the numbers the order of the commits: a reader that has seen 7 will not be surprised by a late 6.
 */
export async function openChangeFeed(
  { database, now }: Context,
  log: { warn(details: object, message: string): void },
): Promise<ChangeFeed> {
  const listeners: ((change: Change | null) => void)[] = []
  let seen = await lastSequence()
  let running: Promise<void> = Promise.resolve()

  async function lastSequence(): Promise<number> {
    const row = await database.read
      .selectFrom('changes')
      .select((e) => e.fn.max('seq').as('seq'))
      .executeTakeFirst()
    return row?.seq ?? 0
  }

  async function readNew(): Promise<void> {
    const rows = await database.read
      .selectFrom('changes')
      .selectAll()
      .where('seq', '>', seen)
      .orderBy('seq')
      .execute()
    for (const row of rows) {
      const gap = row.seq !== seen + 1 && row === rows[0]
      seen = row.seq
      const change = gap ? null : { kind: row.kind as Change['kind'], subject: row.subject }
      for (const listener of listeners) listener(change)
    }
  }

  function catchUp(): Promise<void> {
    running = running.then(readNew, readNew)
    return running
  }

  // The change itself is committed: a failure to read it back is made good by the next poll.
  const warn = (error: unknown) => log.warn({ err: error }, 'could not read the change feed')
  const poll = setInterval(() => {
    void catchUp().catch(warn)
  }, pollEvery)
  poll.unref()
  database.afterCommit(() => catchUp().catch(warn))

  return {
    async record(tx, change) {
      await lock(database, tx, 'changes')
      await tx
        .insertInto('changes')
        .values({ ...change, at: now() })
        .execute()
      await tx
        .deleteFrom('changes')
        .where('at', '<', now() - keptFor)
        .execute()
    },
    subscribe: (listener) => listeners.push(listener),
    catchUp,
    close: () => clearInterval(poll),
  }
}
