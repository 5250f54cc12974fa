import type { CompiledQuery } from 'kysely'
import { type Context, lock, type Tx } from '../database/database.ts'
import { second } from '../kernel/clock.ts'
import { withTimeout } from '../kernel/with-timeout.ts'
import { type ChangeRow, changesKeptFor, isContinuous } from './change-history.ts'
import { type ChangeListener, listenForChanges, notifyOfChange } from './change-notifications.ts'
import { accountsChangedIn } from './record-event.ts'

const kinds = [
  'project',
  'project_stopped',
  'domain',
  'domain_stopped',
  'certificate',
  'certificate_due',
  'account',
] as const

/**
 * A notice that something that others may have cached is no longer as it was. The subject is a slug or a hostname;
 * `domain_stopped` and `project_stopped` say that the host, or every host of the project, must not be served from
 * memory any more, whatever the database does next.
 * `certificate`: the one of a name was installed, replaced or removed; `certificate_due`: one is to be got.
 * `account`: something that its people may be looking at; the subject is its id (see record-event.ts).
 */
export interface Change {
  kind: (typeof kinds)[number]
  subject: string
}

export interface ChangeFeed {
  /** Notes a change in the transaction that makes it. */
  record(tx: Tx, change: Change): Promise<void>
  /** `null` says: notices were lost, trust nothing. */
  subscribe(listener: (change: Change | null) => void): () => void
  /** Reads what is new. Runs by itself after every commit of this process and soon after those of others. */
  catchUp(): Promise<void>
  close(): void
}

export interface ChangeFeedOptions {
  /** Where processes are notified of changes this is the net for lost notifications. Null: no net. */
  pollEvery?: number | null
}

const mostAtOnce = 1_000
/** One who cannot read in time goes on, and reads again with the next poll. */
const patience = 2 * second

/**
 * Changes are rows with a sequence, so a reader that was away reads what it missed. The lock makes the order of
 * the numbers the order of the commits: a reader that has seen 7 will not be surprised by a late 6.
 */
export async function openChangeFeed(
  { database, now }: Context,
  log: { warn(details: object, message: string): void },
  { pollEvery = second }: ChangeFeedOptions = {},
): Promise<ChangeFeed> {
  const listeners = new Set<(change: Change | null) => void>()
  const all = database.read.selectFrom('changes').selectAll()
  const newest = all.orderBy('seq', 'desc').limit(1).compile()
  const rowsFrom = (seq: number) => all.where('seq', '>=', seq).orderBy('seq').limit(mostAtOnce).compile()
  let listening: ChangeListener | null = null
  let readAt = now()
  let last = (await database.read.executeQuery(newest)).rows[0] ?? null
  let reading: Promise<void> = Promise.resolve()
  let next: Promise<void> | null = null

  const seen = () => last?.seq ?? 0

  /**
   * On the connection that is notified, which nobody else uses. Over the pool while there is none: it may have others
   * that still work, or make one.
   */
  async function read(query: CompiledQuery<ChangeRow>): Promise<ChangeRow[]> {
    const rows = await listening?.read(query)
    return rows ?? (await withTimeout(database.read.executeQuery(query), patience)).rows
  }

  async function readNew(): Promise<void> {
    const startedAt = now()
    let rows = await read(rowsFrom(seen()))
    if (!isContinuous({ last, readAt }, rows[0], now())) {
      // Told only then: who hears it looks at what came before this row, and what comes after is read next time.
      if (rows.length === 0) last = (await read(newest))[0] ?? null
      tell(null)
    }
    for (; rows.length > 0; rows = rows.length < mostAtOnce ? [] : await read(rowsFrom(seen()))) {
      for (const row of rows) {
        if (row.seq > seen()) tell(toChange(row))
        last = row
      }
    }
    readAt = startedAt
  }

  function tell(change: Change | null): void {
    for (const listener of listeners) listener(change)
  }

  /** Those who ask while a read is under way share the one after it, which sees all that they want to see. */
  function catchUp(): Promise<void> {
    next ??= reading.then(begin, begin)
    return next
  }

  function begin(): Promise<void> {
    next = null
    reading = readNew()
    return reading
  }

  // The change itself is committed: a failure to read it back is made good by the next poll.
  const warn = (error: unknown) => log.warn({ err: error }, 'could not read the change feed')
  const catchUpSoon = () => void catchUp().catch(warn)
  const poll = pollEvery === null ? undefined : setInterval(catchUpSoon, pollEvery).unref()
  database.afterCommit(() => catchUp().catch(warn))
  /**
   * Under load the read may have to wait for its turn, and a host that was stopped must not be served so long. The
   * notice comes after the commit; that the read tells it once more does no harm.
   */
  function onNotified(kind: string, subject: string): void {
    if (kind === 'domain_stopped' || kind === 'project_stopped') tell({ kind, subject })
    catchUpSoon()
  }

  const newClient = database.dedicatedClient
  if (newClient !== null) {
    listening = listenForChanges({ newClient, catchUp, onNotified, log })
    await listening.started
  }

  async function record(tx: Tx, change: Change): Promise<void> {
    await lock(database, tx, 'changes')
    await tx
      .insertInto('changes')
      .values({ ...change, at: now() })
      .execute()
    await tx
      .deleteFrom('changes')
      .where('at', '<', now() - changesKeptFor)
      .execute()
    if (database.dialect === 'postgres') await notifyOfChange(tx, change.kind, change.subject)
  }

  // Last of all, since whoever has the lock must not wait for anybody else's.
  database.beforeCommit(async (tx) => {
    for (const subject of accountsChangedIn(tx)) await record(tx, { kind: 'account', subject })
  })

  return {
    record,
    subscribe(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    catchUp,
    close() {
      clearInterval(poll)
      listening?.close()
    },
  }
}

/** A kind that a newer version of this program wrote may be about anything. */
function toChange({ kind, subject }: ChangeRow): Change | null {
  const known = kinds.find((one) => one === kind)
  return known === undefined ? null : { kind: known, subject }
}
