import type { Id } from '@masthead/contract/schemas/fields.ts'
import type { Selectable, Updateable } from 'kysely'
import { compileOnce } from '../database/compile-once.ts'
import type { Reader, Tx } from '../database/database.ts'
import type { Schema } from '../database/schema.ts'
import { noteChange } from '../events/noted-changes.ts'

export type KeyRow = Selectable<Schema['keys']>

export async function insertKey(tx: Tx, row: KeyRow): Promise<void> {
  await tx.insertInto('keys').values(row).execute()
}

export function keysBefore(db: Reader, accountId: Id<'account'>, before: string | undefined, limit: number) {
  return db
    .selectFrom('keys')
    .leftJoin('projects', 'projects.id', 'keys.project_id')
    .selectAll('keys')
    .select('projects.slug as project_slug')
    .where('keys.account_id', '=', accountId)
    .$if(before !== undefined, (query) => query.where('keys.id', '<', before as Id<'key'>))
    .orderBy('keys.id', 'desc')
    .limit(limit)
    .execute()
}

/** A key with its account and its person's role and name, expired or not. */
export const findKeyBySecret = compileOnce((db, { secretHash }: { secretHash: string }) =>
  db
    .selectFrom('keys')
    .innerJoin('accounts', 'accounts.id', 'keys.account_id')
    .leftJoin('members', (join) =>
      join
        .onRef('members.account_id', '=', 'keys.account_id')
        .onRef('members.person_id', '=', 'keys.person_id'),
    )
    .leftJoin('people', 'people.id', 'keys.person_id')
    .selectAll('accounts')
    .select(['keys.id as key_id', 'keys.name as key_name', 'keys.scopes', 'keys.last_used_at'])
    .select('people.name as person_name')
    .select(['keys.person_id', 'keys.responsible_id', 'keys.expires_at as key_expires_at', 'members.role'])
    .select(['keys.project_id', 'keys.publisher_id', 'keys.live_branch', 'keys.preview_branch'])
    .where('keys.secret_hash', '=', secretHash)
    .where('accounts.deleted_at', 'is', null),
)

export async function setLastUsed(tx: Tx, id: Id<'key'>, at: number): Promise<void> {
  await tx.updateTable('keys').set({ last_used_at: at }).where('id', '=', id).execute()
}

export function deleteKey(tx: Tx, accountId: Id<'account'>, id: Id<'key'>): Promise<KeyRow | undefined> {
  noteChange(tx, 'access', accountId)
  return tx
    .deleteFrom('keys')
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst()
}

/** The keys that a person is responsible for, personal keys included. */
export function keysOfPerson(tx: Tx, accountId: Id<'account'>, personId: Id<'person'>): Promise<KeyRow[]> {
  return tx
    .selectFrom('keys')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('responsible_id', '=', personId)
    .orderBy('id')
    .execute()
}

/** The personal keys of somebody in all accounts. Through the memberships, because keys have no index by person. */
export function personalKeysBefore(
  db: Reader,
  personId: Id<'person'>,
  before: string | undefined,
  limit: number,
) {
  return db
    .selectFrom('members')
    .innerJoin('accounts', 'accounts.id', 'members.account_id')
    .innerJoin('keys', (join) =>
      join
        .onRef('keys.account_id', '=', 'members.account_id')
        .onRef('keys.person_id', '=', 'members.person_id'),
    )
    .selectAll('keys')
    .select('accounts.name as account_name')
    .where('members.person_id', '=', personId)
    .where('accounts.deleted_at', 'is', null)
    .$if(before !== undefined, (query) => query.where('keys.id', '<', before as Id<'key'>))
    .orderBy('keys.id', 'desc')
    .limit(limit)
    .execute()
}

export async function reassignKey(
  tx: Tx,
  { id, account_id }: Pick<KeyRow, 'id' | 'account_id'>,
  to: Id<'person'> | null,
): Promise<void> {
  noteChange(tx, 'access', account_id)
  await tx.updateTable('keys').set({ responsible_id: to }).where('id', '=', id).execute()
}

export function keyNames(db: Reader, accountId: Id<'account'>) {
  return db.selectFrom('keys').select(['id', 'name']).where('account_id', '=', accountId).execute()
}

export function findKey(db: Reader, id: Id<'key'>): Promise<KeyRow | undefined> {
  return db.selectFrom('keys').selectAll().where('id', '=', id).executeTakeFirst()
}

export async function deleteKeys(tx: Tx, accountId: Id<'account'>): Promise<void> {
  noteChange(tx, 'access', accountId)
  await tx.deleteFrom('keys').where('account_id', '=', accountId).execute()
}

export async function deleteKeysOfProject(
  tx: Tx,
  { accountId, projectId }: { accountId: Id<'account'>; projectId: Id<'project'> },
): Promise<void> {
  const { numDeletedRows } = await tx
    .deleteFrom('keys')
    .where('project_id', '=', projectId)
    .executeTakeFirst()
  if (numDeletedRows > 0n) noteChange(tx, 'access', accountId)
}

export async function deleteKeysOfPublisher(
  tx: Tx,
  { accountId, publisherId }: { accountId: Id<'account'>; publisherId: Id<'publisher'> },
): Promise<void> {
  noteChange(tx, 'access', accountId)
  await tx.deleteFrom('keys').where('publisher_id', '=', publisherId).execute()
}

/** Nobody could use them any more, and each run of a pipeline leaves one. */
export async function deleteExpiredPipelineKeys(tx: Tx, now: number): Promise<void> {
  await tx.deleteFrom('keys').where('publisher_id', 'is not', null).where('expires_at', '<=', now).execute()
}

/** Keys with a recorded ban that ends after `now`, soonest first. */
export function bannedKeysAfter(
  db: Reader,
  { now, after, limit }: { now: number; after: { until: number; keyId: string } | null; limit: number },
) {
  let query = db
    .selectFrom('bans')
    .innerJoin('keys', 'keys.id', 'bans.key_id')
    .innerJoin('accounts', 'accounts.id', 'keys.account_id')
    .select([
      'keys.id as key_id',
      'keys.name as key_name',
      'keys.account_id',
      'accounts.name as account_name',
    ])
    .select('bans.until')
    .where('bans.until', '>', now)
    .orderBy('bans.until')
    .orderBy('bans.key_id')
    .limit(limit)
  if (after !== null) {
    const { until, keyId } = after
    query = query.where((e) => e(e.refTuple('bans.until', 'bans.key_id'), '>', e.tuple(until, keyId)))
  }
  return query.execute()
}

export type LoginRow = Selectable<Schema['logins']>

export async function insertLogin(tx: Tx, row: LoginRow): Promise<void> {
  await tx.deleteFrom('logins').where('expires_at', '<=', row.created_at).execute()
  await tx.insertInto('logins').values(row).execute()
}

export function findPendingLogin(db: Reader, code: string, now: number): Promise<LoginRow | undefined> {
  return db
    .selectFrom('logins')
    .selectAll()
    .where('code', '=', code)
    .where('state', '=', 'pending')
    .where('expires_at', '>', now)
    .executeTakeFirst()
}

export function findLoginBySecret(
  db: Reader,
  secretHash: string,
  now: number,
): Promise<LoginRow | undefined> {
  return db
    .selectFrom('logins')
    .selectAll()
    .where('secret_hash', '=', secretHash)
    .where('expires_at', '>', now)
    .executeTakeFirst()
}

/** False if it has expired or was decided already. */
export async function decideLogin(
  tx: Tx,
  code: string,
  now: number,
  change: Updateable<Schema['logins']>,
): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('logins')
    .set(change)
    .where('code', '=', code)
    .where('state', '=', 'pending')
    .where('expires_at', '>', now)
    .executeTakeFirst()
  return numUpdatedRows === 1n
}

/** False: it was claimed already. */
export async function deleteLogin(tx: Tx, code: string): Promise<boolean> {
  const { numDeletedRows } = await tx.deleteFrom('logins').where('code', '=', code).executeTakeFirst()
  return numDeletedRows === 1n
}
