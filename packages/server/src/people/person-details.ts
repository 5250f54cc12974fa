import type { Id } from '@masthead/contract/ids.ts'
import type { PersonDetails } from '@masthead/contract/schemas/people.ts'
import { isoTime } from '../clock.ts'
import type { Context } from '../database/context.ts'
import type { Reader } from '../database/database.ts'
import { Problem } from '../problem.ts'
import { toMembership, toPerson } from './person.ts'
import { findPerson, membershipsOf, type PersonRow } from './store.ts'

export async function describePerson({ database }: Context, id: Id<'person'>): Promise<PersonDetails> {
  const row = await personNamed(database.read, id)
  const accounts = await membershipsOf(database.read, id)
  return {
    ...toPerson(row),
    createdAt: isoTime(row.created_at),
    accounts: accounts.map(toMembership),
  }
}

export async function personNamed(db: Reader, id: Id<'person'>): Promise<PersonRow> {
  const row = await findPerson(db, id)
  if (row === undefined) throw new Problem('not_found', `There is no person ${id}.`)
  return row
}
