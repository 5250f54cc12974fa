import type { CompiledQuery } from 'kysely'
import { type Context, lock, type Tx } from '../database/database.ts'
import { withDatabaseTimeout } from '../database/database-errors.ts'
import { type Clock, second } from '../kernel/clock.ts'
import { type ChangeRow, changesKeptFor, isContinuous } from './change-history.ts'
import { type ChangeListener, listenForChanges, notifyOfChanges } from './change-notifications.ts'
import { notedChanges } from './noted-changes.ts'

const kinds = [
  'project',
  'project_stopped',
  'domain',
  'domain_stopped',
  'certificate',
  'certificate_due',
  'account',
  'access',
] as const

/**
 * Tells other processes that something they may have cached has changed. The subject is a slug or a hostname.
 * `domain_stopped` and `project_stopped`: do not serve the host, or any host of the project, from memory any more,
 * whatever happens to the database next. `certificate`: a name's certificate was installed, replaced or removed.
 * `certificate_due`: a name needs a certificate. `account` and `access` have an id as their subject: see
 * noted-changes.ts.
 */
export interface Change {
  kind: (typeof kinds)[number]
  subject: string
}

export interface ChangeFeed {
  /** Records changes in the transaction that makes them. Many at once take a few statements. */
  record(tx: Tx, ...changes: Change[]): Promise<void>
  /** `null`: changes were missed, so trust nothing cached. */
  subscribe(listener: (change: Change | null) => void): () => void
  /** Reads new changes. Runs automatically after every commit of this process, and soon after those of others. */
  catchUp(): Promise<void>
  /** Whether listeners know of everything that was committed before the last `ms` milliseconds, and of all our own. */
  isCurrent(ms: number): boolean
  close(): void
}

export interface ChangeFeedOptions {
  /** Where LISTEN/NOTIFY is available, polling only covers lost notifications. Null: no polling. */
  pollEvery?: number | null
  /** Also advances while the machine is suspended. */
  machineClock?: Clock
}

const batchSize = 1_000
/** Every other process that changes something waits for the lock, so there are few statements under it. */
const recordedAtOnce = 500
/** A read that takes longer fails; the next poll reads again. */
const readTimeout = 2 * second

/**
 * Changes are rows with a sequence number, so a reader can catch up on what it missed. A lock makes the numbers follow
 * the order of commits: a reader that has seen 7 never misses a late 6.
 */
export async function openChangeFeed(
  { database, now }: Context,
  log: { warn(details: object, message: string): void },
  { pollEvery = second, machineClock = now }: ChangeFeedOptions = {},
): Promise<ChangeFeed> {
  const listeners = new Set<(change: Change | null) => void>()
  const all = database.read.selectFrom('changes').selectAll()
  const newest = all.orderBy('seq', 'desc').limit(1).compile()
  // Compiled once: it is read every second.
  const rowsFromFirst = all.where('seq', '>=', 0).orderBy('seq').limit(batchSize).compile()
  const rowsFrom = (seq: number) => ({ ...rowsFromFirst, parameters: rowsFromFirst.parameters.with(0, seq) })
  let changeListener: ChangeListener | null = null
  let readAt = machineClock()
  let steadyReadAt = performance.now()
  let last = (await database.read.executeQuery(newest)).rows[0] ?? null
  let reading: Promise<void> = Promise.resolve()
  let next: Promise<void> | null = null

  const seen = () => last?.seq ?? 0

  /**
   * Reads on the listening connection, which nothing else uses. Without one, reads through the pool, which may still
   * work or reconnect.
   */
  async function read(query: CompiledQuery<ChangeRow>): Promise<ChangeRow[]> {
    const rows = await changeListener?.read(query)
    return rows ?? (await withDatabaseTimeout(database.read.executeQuery(query), readTimeout)).rows
  }

  async function readNew(): Promise<void> {
    const startedAt = machineClock()
    const steadyStartedAt = performance.now()
    let rows = await read(rowsFrom(seen()))
    if (!isContinuous(last, rows[0], { now: now(), away: machineClock() - readAt })) {
      // Find the newest row before notifying: listeners reload everything up to it, and the next read continues after
      // it.
      if (rows.length === 0) last = (await read(newest))[0] ?? null
      notify(null)
    }
    for (; rows.length > 0; rows = rows.length < batchSize ? [] : await read(rowsFrom(seen()))) {
      for (const row of rows) {
        if (row.seq > seen()) notify(toChange(row))
        last = row
      }
    }
    readAt = startedAt
    steadyReadAt = steadyStartedAt
  }

  /** By two clocks: one of them may be set back, and the other one stops while a machine is suspended. */
  function isCurrent(ms: number): boolean {
    return performance.now() - steadyReadAt <= ms && machineClock() - readAt <= ms
  }

  function notify(change: Change | null): void {
    for (const listener of listeners) listener(change)
  }

  /** Calls during a read share the next one, which sees everything they need. */
  function catchUp(): Promise<void> {
    next ??= reading.then(startReading, startReading)
    return next
  }

  function startReading(): Promise<void> {
    next = null
    reading = readNew()
    return reading
  }

  // The change itself is committed, so the next poll makes up for a failed read.
  const warn = (error: unknown) => log.warn({ err: error }, 'could not read the change feed')
  const catchUpSoon = () => void catchUp().catch(warn)
  const poll = pollEvery === null ? undefined : setInterval(catchUpSoon, pollEvery).unref()
  database.afterCommit(() =>
    catchUp().catch((error: unknown) => {
      // Until the next successful read we may not know of our own change.
      steadyReadAt = Number.NEGATIVE_INFINITY
      warn(error)
    }),
  )
  /**
   * Under load the read may have to wait, and a stopped host or a revoked key must not be served in the meantime. The
   * notification comes after the commit. Notifying twice does no harm.
   */
  function onNotified(kind: string, subject: string): void {
    if (kind === 'domain_stopped' || kind === 'project_stopped' || kind === 'access')
      notify({ kind, subject })
    catchUpSoon()
  }

  const newClient = database.dedicatedClient
  if (newClient !== null) {
    changeListener = listenForChanges({ newClient, catchUp, onNotified, log })
    await changeListener.started
  }

  async function record(tx: Tx, ...changes: Change[]): Promise<void> {
    if (changes.length === 0) return
    await lock(database, tx, 'changes')
    const at = now()
    for (let from = 0; from < changes.length; from += recordedAtOnce) {
      const some = changes.slice(from, from + recordedAtOnce)
      await tx
        .insertInto('changes')
        .values(some.map((change) => ({ ...change, at })))
        .execute()
      if (database.dialect === 'postgres') await notifyOfChanges(tx, some)
    }
    await tx
      .deleteFrom('changes')
      .where('at', '<', at - changesKeptFor)
      .execute()
  }

  // Last, because a transaction that holds this lock must not wait for another one.
  database.beforeCommit((tx) => record(tx, ...notedChanges(tx)))

  return {
    record,
    subscribe(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    catchUp,
    isCurrent,
    close() {
      clearInterval(poll)
      changeListener?.close()
    },
  }
}

/** An unknown kind, written by a newer version, may mean anything. */
function toChange({ kind, subject }: ChangeRow): Change | null {
  const known = kinds.find((one) => one === kind)
  return known === undefined ? null : { kind: known, subject }
}
