import type { DomainState } from '@masthead/contract/domains/states.ts'
import type { Id } from '@masthead/contract/schemas/fields.ts'
import { sql, type Updateable } from 'kysely'
import type { Reader, Tx } from '../database/database.ts'
import type { Schema } from '../database/schema.ts'
import { noteChange } from '../events/noted-changes.ts'
import type { DomainRow } from './domain.ts'

export async function insertDomain(tx: Tx, row: DomainRow): Promise<void> {
  noteChange(tx, 'account', row.account_id)
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

/** An account has a hostname at most once, on one of its projects. */
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

/** By name; all of them without a limit. */
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

/** The claims of all accounts to a name. */
export function findClaims(db: Reader, hostname: string): Promise<DomainRow[]> {
  return db.selectFrom('domains').selectAll().where('hostname', '=', hostname).orderBy('id').execute()
}

export function findHolder(db: Reader, hostname: string): Promise<DomainRow | undefined> {
  return db
    .selectFrom('domains')
    .selectAll()
    .where('hostname', '=', hostname)
    .where('held', '=', sql.lit(1))
    .executeTakeFirst()
}

/** The wildcards of a registrable domain that accounts hold. */
export function heldWildcards(db: Reader, registrable: string): Promise<DomainRow[]> {
  return db
    .selectFrom('domains')
    .selectAll()
    .where('registrable', '=', registrable)
    .where('kind', '=', 'wildcard')
    .where('held', '=', sql.lit(1))
    .orderBy('hostname')
    .execute()
}

/** The names of a registrable domain that other accounts hold. Reads all domains, so it is for rare occasions. */
export function heldByOthers(
  db: Reader,
  accountId: Id<'account'>,
  registrable: string,
): Promise<Pick<DomainRow, 'id' | 'hostname' | 'state'>[]> {
  return db
    .selectFrom('domains')
    .select(['id', 'hostname', 'state'])
    .where('registrable', '=', registrable)
    .where('held', '=', sql.lit(1))
    .where('account_id', '!=', accountId)
    .execute()
}

export async function updateDomain(
  tx: Tx,
  id: Id<'domain'>,
  change: Updateable<Schema['domains']>,
): Promise<DomainRow | undefined> {
  const query = tx.updateTable('domains').set(change).where('id', '=', id)
  const row = await query.returningAll().executeTakeFirst()
  if (row !== undefined) noteChange(tx, 'account', row.account_id)
  return row
}

export async function deleteDomain(tx: Tx, id: Id<'domain'>): Promise<void> {
  const query = tx.deleteFrom('domains').where('id', '=', id)
  const row = await query.returning('account_id').executeTakeFirst()
  if (row !== undefined) noteChange(tx, 'account', row.account_id)
}

/** Whether PostgreSQL rejected a second holder of a name. Cannot happen in SQLite, which has one writer. */
export function isSecondHolder(error: unknown): boolean {
  return error instanceof Error && 'constraint' in error && error.constraint === 'domains_held'
}

/** Each costs DNS queries, and one is enough as a proof. */
const maxSiblings = 4

type SiblingRow = Pick<DomainRow, 'hostname' | 'target'>

/** Names of the account below an apex that are served or waiting for DNS, the likeliest proof first. */
export function findSiblings(
  db: Reader,
  { account_id, hostname }: Pick<DomainRow, 'account_id' | 'hostname'>,
): Promise<SiblingRow[]> {
  return db
    .selectFrom('domains')
    .select(['hostname', 'target'])
    .where('account_id', '=', account_id)
    .where('registrable', '=', hostname)
    .where('kind', '=', 'subdomain')
    .where('state', 'in', ['pending', 'prepared', 'verified', 'live', 'drifted'])
    .orderBy('held', 'desc')
    .orderBy((e) => e.case().when('hostname', '=', `www.${hostname}`).then(0).else(1).end())
    .orderBy('hostname')
    .limit(maxSiblings)
    .execute()
}

export interface NameOwner {
  hostname: string
  accountId: Id<'account'>
  accountName: string
  projectSlug: string
}

/** The accounts that hold each of the names; names without a holder are left out. */
export async function findOwners(db: Reader, hostnames: readonly string[]): Promise<NameOwner[]> {
  if (hostnames.length === 0) return []
  return db
    .selectFrom('domains')
    .innerJoin('accounts', 'accounts.id', 'domains.account_id')
    .innerJoin('projects', 'projects.id', 'domains.project_id')
    .select(['domains.hostname', 'accounts.id as accountId', 'accounts.name as accountName'])
    .select('projects.slug as projectSlug')
    .where('domains.hostname', 'in', hostnames)
    .where('domains.held', '=', sql.lit(1))
    .execute()
}

export function countByState(db: Reader): Promise<{ state: DomainState; domains: number }[]> {
  return db
    .selectFrom('domains')
    .select((e) => ['state', e.fn.countAll<number>().as('domains')])
    .groupBy('state')
    .execute()
}

/** When the longest-waiting domain was due, leased or not; null if no domain is checked automatically. */
export async function longestDueAt(db: Reader): Promise<number | null> {
  const row = await db
    .selectFrom('domains')
    .select('next_check_at')
    .where('next_check_at', 'is not', null)
    .orderBy('next_check_at')
    .limit(1)
    .executeTakeFirst()
  return row?.next_check_at ?? null
}
