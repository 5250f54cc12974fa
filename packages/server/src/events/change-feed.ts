import { hour, minute } from '../clock.ts'
import type { Context } from '../database/context.ts'
import { lock, type Tx } from '../database/database.ts'
import { accountsChangedIn } from './account-changes.ts'
import { type Listening, listenForChanges, notifyOfChange } from './change-feed-listening.ts'

const kinds = ['project', 'domain', 'domain_stopped', 'certificate', 'certificate_due', 'account'] as const

/**
 * A notice that something that others may have cached is no longer as it was. The subject is a slug or a hostname;
 * `domain_stopped` says that the host must not be served from memory any more, whatever the database does next.
 * `certificate`: the one of a name was installed, replaced or removed; `certificate_due`: one is to be got.
 * `account`: something that its people may be looking at; the subject is its id (see account-changes.ts).
 */
export interface Change {
  kind: (typeof kinds)[number]
  subject: string
}

export interface ChangeFeed {
  /** Notes a change in the transaction that makes it. */
  record(tx: Tx, change: Change): Promise<void>
  /** `null` says: notices were lost, trust nothing. */
  subscribe(listener: (change: Change | null) => void): void
  /** Reads what is new. Runs by itself after every commit of this process and soon after those of others. */
  catchUp(): Promise<void>
  close(): void
}

export interface ChangeFeedOptions {
  /** Where processes are notified of changes this is the net for lost notifications. Null: no net. */
  pollEvery?: number | null
}

const keptFor = hour
/** Less than rows are kept for, because the clocks of writers differ. */
const longestAbsence = keptFor - 5 * minute
const mostAtOnce = 1_000

/**
 * Changes are rows with a sequence, so a reader that was away reads what it missed. The lock makes the order of
 * the numbers the order of the commits: a reader that has seen 7 will not be surprised by a late 6.
 */
export async function openChangeFeed(
  { database, now }: Context,
  log: { warn(details: object, message: string): void },
  { pollEvery = 1_000 }: ChangeFeedOptions = {},
): Promise<ChangeFeed> {
  const listeners: ((change: Change | null) => void)[] = []
  let readAt = now()
  let seen = await lastSequence()
  let reading: Promise<void> = Promise.resolve()
  let next: Promise<void> | null = null

  async function lastSequence(): Promise<number> {
    const row = await database.read
      .selectFrom('changes')
      .select((e) => e.fn.max('seq').as('seq'))
      .executeTakeFirst()
    return row?.seq ?? 0
  }

  function rowsSince(seq: number) {
    const rows = database.read.selectFrom('changes').selectAll().where('seq', '>', seq)
    return rows.orderBy('seq').limit(mostAtOnce).execute()
  }

  async function readNew(): Promise<void> {
    const startedAt = now()
    let rows = await rowsSince(seen)
    // A number that was skipped is mostly a transaction that was rolled back.
    if (startedAt - readAt > longestAbsence && rows[0]?.seq !== seen + 1 && rows.length > 0) tell(null)
    for (; rows.length > 0; rows = rows.length < mostAtOnce ? [] : await rowsSince(seen)) {
      for (const { seq, kind, subject } of rows) {
        seen = seq
        tell(toChange(kind, subject))
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
    if (kind === 'domain_stopped') tell({ kind, subject })
    catchUpSoon()
  }

  const newClient = database.dedicatedClient
  let listening: Listening | null = null
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
      .where('at', '<', now() - keptFor)
      .execute()
    if (database.dialect === 'postgres') await notifyOfChange(tx, change.kind, change.subject)
  }

  // Last of all, since whoever has the lock must not wait for anybody else's.
  database.beforeCommit(async (tx) => {
    for (const subject of accountsChangedIn(tx)) await record(tx, { kind: 'account', subject })
  })

  return {
    record,
    subscribe: (listener) => listeners.push(listener),
    catchUp,
    close() {
      clearInterval(poll)
      listening?.close()
    },
  }
}

/** A kind that a newer version of this program wrote may be about anything. */
function toChange(kind: string, subject: string): Change | null {
  const known = kinds.find((one) => one === kind)
  return known === undefined ? null : { kind: known, subject }
}
