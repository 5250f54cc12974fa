import { randomBytes } from 'node:crypto'
import type { Id } from '@masthead/contract/schemas/fields.ts'
import type { MailSettings } from '../config/config.ts'
import type { Context } from '../database/database.ts'
import { createWaker } from '../events/waker.ts'
import { BoundedCache } from '../kernel/cache/bounded-cache.ts'
import { day, exactTime, hour, minute, second } from '../kernel/clock.ts'
import { pauseAfter, schedule } from '../webhooks/delivery/schedule.ts'
import { composeMail } from './compose.ts'
import { MailError, type SmtpTimeouts, sendMail } from './smtp.ts'
import {
  type ClaimedPerson,
  claimPerson,
  deleteNoticesBefore,
  endAllLeases,
  endClaim,
  endEmptyClaim,
  noticesFor,
} from './store.ts'

export interface MailWorkerOptions {
  /** Null: this server sends none, and notices are dropped when they are old. */
  settings: MailSettings | null
  dashboard: string
  log: Record<'error' | 'warn', (details: object, message: string) => void>
  /** Whether no other process uses this database. */
  isAlone: boolean
  timeouts?: SmtpTimeouts
  /** After failures of the mail server, one after the other. */
  pauses?: readonly number[]
  /** How often to look for mail. */
  every?: number
}

export interface MailWorker {
  /** Resolves when the mail under way was sent, or given back. */
  stop(): Promise<void>
}

/** A person gets no more than one mail in this time. What happens meanwhile is in the next. */
export const mailEvery = 6 * hour
/** Then nobody needs to know any more. */
export const giveUpAfter = 3 * day
/** After refusals for now, one after the other. Greylisting wants us to come back after a few minutes. */
const refusalPauses = [10 * minute, 30 * minute, hour, 2 * hour, 4 * hour] as const
/** People whose refusals are counted. */
const mostRefused = 10_000
const leaseFor = 5 * minute
const pollEvery = 10 * second
/** Described or counted. */
const mostInOneMail = 500

/**
 * Mails owners of accounts about their notices, one mail at a time. There is one mail server for all: while it fails,
 * nothing is tried, with growing pauses.
 */
export function startMailWorker({ database, now }: Context, options: MailWorkerOptions): MailWorker {
  const { settings, dashboard, log, timeouts, pauses = schedule.pauses, every = pollEvery } = options
  const process = randomBytes(8).toString('hex')
  const stopping = new AbortController()
  const waker = createWaker()
  let claims = 0
  let failures = 0
  /** Of each person, one after the other. Not stored: a new process begins with the shortest pause. */
  const refusals = new BoundedCache<number>(mostRefused)

  /** Returns how long to leave the mail server alone. */
  async function mailTo(settings: MailSettings, claimed: ClaimedPerson): Promise<number> {
    const rows = await noticesFor(database.read, claimed.personId, mostInOneMail)
    const [first] = rows
    if (first === undefined) {
      refusals.delete(claimed.personId)
      await endEmptyClaim(database, claimed, await exactTime(now))
      return 0
    }
    const id = `${rows.at(-1)?.id}.${claimed.personId}`
    const done = rows.map((row) => row.id)
    try {
      await sendMail(
        settings,
        { id, to: first.email, ...composeMail(rows, dashboard) },
        { signal: stopping.signal, ...(timeouts === undefined ? {} : { timeouts }) },
      )
      failures = 0
      refusals.delete(claimed.personId)
      await endClaim(database, claimed, { dueAt: (await exactTime(now)) + mailEvery, done })
      return 0
    } catch (error) {
      if (!(error instanceof MailError)) throw error
      return afterFailure(error, claimed, done)
    }
  }

  async function afterFailure(
    error: MailError,
    claimed: ClaimedPerson,
    sent: readonly Id<'event'>[],
  ): Promise<number> {
    const at = await exactTime(now)
    if (stopping.signal.aborted) {
      await endClaim(database, claimed, { dueAt: at, done: [] })
      return 0
    }
    const about = { err: error, person: claimed.personId }
    if (error.fault === 'recipient' || error.fault === 'message') {
      refusals.delete(claimed.personId)
      log.warn(about, 'a mail was refused for good')
      await endClaim(database, claimed, { dueAt: at + mailEvery, done: sent })
      return 0
    }
    if (error.fault === 'temporary') {
      log.warn(about, 'a mail was refused for now')
      const refused = (refusals.get(claimed.personId) ?? 0) + 1
      refusals.set(claimed.personId, refused, 1)
      await endClaim(database, claimed, {
        dueAt: at + pauseAfter({ pauses: refusalPauses }, refused),
        done: [],
      })
      return 0
    }
    failures++
    log.error(about, 'the mail server could not be used')
    await endClaim(database, claimed, { dueAt: at, done: [] })
    return pauseAfter({ pauses }, failures)
  }

  /** Returns how long to sleep. */
  async function poll(): Promise<number> {
    const at = await exactTime(now)
    await deleteNoticesBefore(database, at - giveUpAfter)
    if (settings === null) return hour
    const owner = `${process}-${claims++}`
    const claimed = await claimPerson(database, { owner, now: at, until: at + leaseFor })
    return claimed === null ? every : mailTo(settings, claimed)
  }

  async function run(): Promise<void> {
    if (options.isAlone)
      await endAllLeases(database).catch((err: unknown) => log.error({ err }, 'could not end leases'))
    while (!stopping.signal.aborted) {
      const pause = await poll().catch((err: unknown) => {
        if (!stopping.signal.aborted) log.error({ err }, 'could not look for mail to send')
        return every
      })
      await waker.sleep(pause)
    }
  }

  const stopped = run()
  return {
    async stop() {
      stopping.abort()
      waker.wake()
      await stopped
    },
  }
}
