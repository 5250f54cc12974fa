import type { OperatorPerson } from '@masthead/contract/schemas/operator.ts'
import type { Page } from '@masthead/contract/schemas/page.ts'
import { isoTime } from '../clock.ts'
import type { Context } from '../database/context.ts'
import { type PageRequest, readCursor, toPage } from '../database/page.ts'
import { accountsOfPeople, peopleBefore } from './people-store.ts'
import { toPerson } from './person.ts'

/** All people, for the operator. */
export async function listPeople(
  { database }: Context,
  { cursor, limit, search }: PageRequest & { search?: string | undefined },
): Promise<Page<OperatorPerson>> {
  const rows = await peopleBefore(database, { before: readCursor(cursor), search, limit: limit + 1 })
  const accounts = await accountsOfPeople(
    database.read,
    rows.map(({ id }) => id),
  )
  return toPage(
    rows,
    limit,
    (row) => row.id,
    (row) => ({
      ...toPerson(row),
      createdAt: isoTime(row.created_at),
      accounts: accounts
        .filter(({ person_id }) => person_id === row.id)
        .map(({ id, name }) => ({ id, name })),
    }),
  )
}
