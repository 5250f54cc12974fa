import type { Id, Page } from '@masthead/contract/schemas/fields.ts'
import type { CliLogin } from '@masthead/contract/schemas/people.ts'
import type { PersonActor } from '../accounts/actor.ts'
import type { Context } from '../database/database.ts'
import { type PageRequest, readCursor, toPage } from '../database/list-query.ts'
import { isoTime, isoTimeOrNull } from '../kernel/clock.ts'
import { Problem } from '../kernel/problem.ts'
import { revokeKeyIn } from './manage-keys.ts'
import { findKey, personalKeysBefore } from './store.ts'

/** Not only owners can lose a laptop, and only they see the keys of the account. */
export async function listCliLogins(
  { database }: Context,
  { person }: PersonActor,
  { cursor, limit }: PageRequest,
): Promise<Page<CliLogin>> {
  const rows = await personalKeysBefore(database.read, person.id, readCursor(cursor), limit + 1)
  return toPage(
    rows,
    limit,
    ({ id }) => id,
    ({ id, name, hint, created_at, last_used_at, account_id, account_name }) => ({
      ...{ id, name, hint },
      createdAt: isoTime(created_at),
      lastUsedAt: isoTimeOrNull(last_used_at),
      account: { id: account_id, name: account_name },
    }),
  )
}

export async function revokeCliLogin(
  { database, now }: Context,
  { person }: PersonActor,
  keyId: Id<'key'>,
): Promise<void> {
  await database.write(async (tx) => {
    const row = await findKey(tx, keyId)
    if (row?.person_id !== person.id) throw new Problem('not_found', `You have no CLI login ${keyId}.`)
    const by = { kind: 'person', id: person.id, name: person.name } as const
    await revokeKeyIn(tx, { accountId: row.account_id, keyId, by, at: now() })
  })
}
