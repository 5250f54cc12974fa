import type { Id } from '@masthead/contract/ids.ts'
import { containing } from '../database/containing.ts'
import type { Database, Reader } from '../database/database.ts'

export function peopleBefore(
  database: Pick<Database, 'dialect' | 'read'>,
  { before, search, limit }: { before: string | undefined; search: string | undefined; limit: number },
) {
  let query = database.read.selectFrom('people').selectAll().orderBy('id', 'desc').limit(limit)
  if (before !== undefined) query = query.where('id', '<', before as Id<'person'>)
  if (search !== undefined) {
    query = query.where((e) =>
      e.or([containing(database, 'name', search), containing(database, 'email', search)]),
    )
  }
  return query.execute()
}

export async function accountsOfPeople(db: Reader, people: Id<'person'>[]) {
  if (people.length === 0) return []
  return db
    .selectFrom('members')
    .innerJoin('accounts', 'accounts.id', 'members.account_id')
    .select(['members.person_id', 'accounts.id', 'accounts.name'])
    .where('members.person_id', 'in', people)
    .orderBy('members.joined_at')
    .execute()
}
