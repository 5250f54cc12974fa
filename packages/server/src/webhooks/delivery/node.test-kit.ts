import { setImmediate } from 'node:timers/promises'
import type { Id } from '@masthead/contract/schemas/fields.ts'
import { sql } from 'kysely'
import { type DatabaseLocation, openDatabase } from '../../database/database.ts'
import { openChangeFeed } from '../../events/change-feed.ts'
import { recordEvent, system } from '../../events/record-event.ts'
import { systemClock } from '../../kernel/clock.ts'
import { createSealing } from '../../secrets/sealing.ts'
import type { Schedule } from './schedule.ts'
import { startWebhookWorker } from './worker.ts'

const schedule: Schedule = {
  pauses: [10, 30],
  failuresUntilPaused: 5,
  breakerPauses: [10, 30],
  giveUpAfter: 3_600_000,
  disableAfter: 86_400_000,
}
const timeouts = { resolve: 1_000, connect: 1_000, headers: 200, body: 200 }

export interface NodeSettings {
  location: DatabaseLocation
  key: string
  accountId: Id<'account'>
  /** How many events the account should have in the end, and of how many projects. */
  events: number
  projects: number
}

/** A node that records events and delivers them, to be killed at any time. Starts again where it was. */
export async function runNode({ location, key, accountId, events, projects }: NodeSettings): Promise<void> {
  const log = { warn: console.error, error: console.error }
  const database = await openDatabase(location, log)
  // What a killed process has written is not lost: only a power cut would show the difference.
  if (location.dialect === 'sqlite') await sql`pragma synchronous = off`.execute(database.read)
  const now = systemClock
  const changes = await openChangeFeed({ database, now }, log)
  const sealing = createSealing([Buffer.from(key, 'hex')])
  const dns = { resolve: () => Promise.reject(new Error('The endpoint has no name')) }
  const context = { database, now, changes, sealing, dns, rules: { allowsLoopback: true } }
  startWebhookWorker(context, { log, isAlone: true, schedule, timeouts })
  const { count } = await database.read
    .selectFrom('events')
    .select((of) => of.fn.countAll<number>().as('count'))
    .where('type', '=', 'deployment.ready')
    .executeTakeFirstOrThrow()
  for (let next = Number(count); next < events; ) {
    const batch = Array.from({ length: Math.min(10, events - next) }, () => next++)
    await database.write(async (tx) => {
      for (const index of batch) {
        const projectId: Id<'project'> = `prj_${index % projects}`
        const event = { accountId, projectId, type: 'deployment.ready', by: system, at: now() } as const
        await recordEvent(tx, { ...event, data: { index } })
      }
    })
    // SQLite answers without a turn of the event loop.
    await setImmediate()
  }
  // Nothing else keeps a process without listeners running between two attempts.
  setInterval(() => {}, 60_000)
}
