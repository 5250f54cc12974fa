import type { Id } from '@masthead/contract/ids.ts'
import type { Updateable } from 'kysely'
import type { Reader, Tx } from '../database/database.ts'
import type { Schema } from '../database/schema.ts'
import type { DomainRow } from './domain.ts'

export async function insertDomain(tx: Tx, row: DomainRow): Promise<void> {
  await tx.insertInto('domains').values(row).execute()
}

export function findDomain(
  db: Reader,
  projectId: Id<'project'>,
  hostname: string,
): Promise<DomainRow | undefined> {
  return db
    .selectFrom('domains')
    .selectAll()
    .where('project_id', '=', projectId)
    .where('hostname', '=', hostname)
    .executeTakeFirst()
}

export function findDomainById(db: Reader, id: Id<'domain'>): Promise<DomainRow | undefined> {
  return db.selectFrom('domains').selectAll().where('id', '=', id).executeTakeFirst()
}

/** An account has a hostname once, whichever project it is on. */
export function findDomainOfAccount(
  db: Reader,
  accountId: Id<'account'>,
  hostname: string,
): Promise<DomainRow | undefined> {
  return db
    .selectFrom('domains')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('hostname', '=', hostname)
    .executeTakeFirst()
}

/** By name; without a limit all of them. */
export function domainsOfProject(
  db: Reader,
  projectId: Id<'project'>,
  after?: string,
  limit?: number,
): Promise<DomainRow[]> {
  let query = db.selectFrom('domains').selectAll().where('project_id', '=', projectId).orderBy('hostname')
  if (after !== undefined) query = query.where('hostname', '>', after)
  if (limit !== undefined) query = query.limit(limit)
  return query.execute()
}

export function domainsOfAccount(db: Reader, accountId: Id<'account'>): Promise<DomainRow[]> {
  return db
    .selectFrom('domains')
    .selectAll()
    .where('account_id', '=', accountId)
    .orderBy('hostname')
    .execute()
}

export async function countDomains(db: Reader, projectId: Id<'project'>): Promise<number> {
  const row = await db
    .selectFrom('domains')
    .select((e) => e.fn.countAll<number>().as('domains'))
    .where('project_id', '=', projectId)
    .executeTakeFirst()
  return Number(row?.domains ?? 0)
}

/** Every account's claim to a name. */
export function rowsOfHostname(db: Reader, hostname: string): Promise<DomainRow[]> {
  return db.selectFrom('domains').selectAll().where('hostname', '=', hostname).orderBy('id').execute()
}

export function heldRow(db: Reader, hostname: string): Promise<DomainRow | undefined> {
  return db
    .selectFrom('domains')
    .selectAll()
    .where('hostname', '=', hostname)
    .where('held', '=', 1)
    .executeTakeFirst()
}

export function updateDomain(
  tx: Tx,
  id: Id<'domain'>,
  change: Updateable<Schema['domains']>,
): Promise<DomainRow | undefined> {
  return tx.updateTable('domains').set(change).where('id', '=', id).returningAll().executeTakeFirst()
}

export async function deleteDomain(tx: Tx, id: Id<'domain'>): Promise<void> {
  await tx.deleteFrom('domains').where('id', '=', id).execute()
}
