import type { Id, Page } from '@masthead/contract/schemas/fields.ts'
import type { PersonSession } from '@masthead/contract/schemas/people.ts'
import type { PersonActor } from '../../accounts/actor.ts'
import type { Context } from '../../database/database.ts'
import { type PageRequest, readCursor, toPage } from '../../database/list-query.ts'
import { isoTime } from '../../kernel/clock.ts'
import { Problem } from '../../kernel/problem.ts'
import { deleteOtherSessions, deleteSessionOf, sessionsBefore } from '../session-store.ts'

export async function listSessions(
  { database, now }: Context,
  { person, session }: PersonActor,
  { cursor, limit }: PageRequest,
): Promise<Page<PersonSession>> {
  const rows = await sessionsBefore(database.read, person.id, now(), readCursor(cursor), limit + 1)
  return toPage(
    rows,
    limit,
    (row) => row.id,
    (row) => ({
      id: row.id,
      current: row.id === session.id,
      browser: row.browser,
      address: row.address,
      createdAt: isoTime(row.created_at),
      lastSeenAt: isoTime(row.last_seen_at),
      expiresAt: isoTime(row.expires_at),
    }),
  )
}

export async function endSession(
  { database }: Context,
  { person }: PersonActor,
  id: Id<'session'>,
): Promise<void> {
  const ended = await database.write((tx) => deleteSessionOf(tx, person.id, id))
  if (!ended) throw new Problem('not_found', `You have no session ${id}.`)
}

export async function endOtherSessions(
  { database }: Context,
  { person, session }: PersonActor,
): Promise<{ sessionsEnded: number }> {
  const sessionsEnded = await database.write((tx) => deleteOtherSessions(tx, person.id, session.id))
  return { sessionsEnded }
}
