import type { Id, Page } from '@masthead/contract/schemas/fields.ts'
import type { OperatorPerson } from '@masthead/contract/schemas/operator.ts'
import type { PersonDetails } from '@masthead/contract/schemas/people.ts'
import type { Context, Database, Reader, Tx } from '../database/database.ts'
import { type PageRequest, readCursor, toPage } from '../database/list-query.ts'
import { isoTime } from '../kernel/clock.ts'
import { Problem } from '../kernel/problem.ts'
import { toMembership, toPerson } from './person.ts'
import { findMemberSession } from './session-store.ts'
import {
  accountsOfPeople,
  findMember,
  findPerson,
  lockPerson,
  type MemberRow,
  membershipsOf,
  type PersonRow,
  peopleBefore,
} from './store.ts'

export function readMembership(
  db: Reader,
  accountId: Id<'account'>,
  personId: Id<'person'>,
): Promise<MemberRow | undefined> {
  return findMember(db, accountId, personId)
}

/** When the session ends; null if it has ended, or the person is no member of the account. */
export async function readMemberSession(
  { database }: Pick<Context, 'database'>,
  asked: { person: string; session: string; accountId: string },
): Promise<{ expiresAt: number } | null> {
  const [found] = await findMemberSession(database, asked)
  return found === undefined ? null : { expiresAt: found.expires_at }
}

export async function describePerson({ database }: Context, id: Id<'person'>): Promise<PersonDetails> {
  const row = await readPerson(database.read, id)
  const accounts = await membershipsOf(database.read, id)
  return {
    ...toPerson(row),
    createdAt: isoTime(row.created_at),
    accounts: accounts.map(toMembership),
  }
}

export async function readPerson(db: Reader, id: Id<'person'>): Promise<PersonRow> {
  const row = await findPerson(db, id)
  if (row === undefined) throw new Problem('not_found', `There is no person ${id}.`)
  return row
}

/**
 * Whether the password that was compared, which takes long, is still the person's. Locks the person, so that it stays
 * theirs until the transaction ends.
 */
export async function isPasswordCurrent(
  database: Pick<Database, 'dialect'>,
  tx: Tx,
  { id, password_hash }: Pick<PersonRow, 'id' | 'password_hash'>,
): Promise<boolean> {
  return (await lockPerson(database, tx, id))?.password_hash === password_hash
}

/** For the operator: every person on this server. */
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
    (row) => toOperatorPerson(row, accounts),
  )
}

export async function describeForOperator({ database }: Context, id: Id<'person'>): Promise<OperatorPerson> {
  const row = await readPerson(database.read, id)
  return toOperatorPerson(row, await accountsOfPeople(database.read, [id]))
}

function toOperatorPerson(
  row: PersonRow,
  accounts: Awaited<ReturnType<typeof accountsOfPeople>>,
): OperatorPerson {
  const own = accounts.filter(({ person_id }) => person_id === row.id)
  return {
    ...toPerson(row),
    createdAt: isoTime(row.created_at),
    accounts: own.map(({ id, name }) => ({ id, name })),
  }
}
