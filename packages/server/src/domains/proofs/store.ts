import type { Id } from '@masthead/contract/schemas/fields.ts'
import { type Selectable, sql, type Updateable } from 'kysely'
import type { Database, Reader, Tx } from '../../database/database.ts'
import type { Schema } from '../../database/schema.ts'
import { noteChange } from '../../events/noted-changes.ts'
import { leaseFirstDue } from '../due-store.ts'

export type ProofRow = Selectable<Schema['domain_proofs']>

type Key = Pick<ProofRow, 'account_id' | 'domain'>

/** Of these domains, the one with the longest name that an account has proved. One indexed lookup. */
export function findMostSpecific(
  db: Reader,
  domains: readonly string[],
): Promise<Pick<ProofRow, 'account_id' | 'domain'> | undefined> {
  return db
    .selectFrom('domain_proofs')
    .select(['account_id', 'domain'])
    .where('domain', 'in', domains)
    .where('stands', '=', sql.lit(1))
    .orderBy((e) => e.fn('length', ['domain']), 'desc')
    .limit(1)
    .executeTakeFirst()
}

/** Those of these domains that the account has proved or wants to prove, the longest name first. */
export function startedProofs(
  db: Reader,
  accountId: Id<'account'>,
  domains: readonly string[],
): Promise<ProofRow[]> {
  return db
    .selectFrom('domain_proofs')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('domain', 'in', domains)
    .orderBy((e) => e.fn('length', ['domain']), 'desc')
    .execute()
}

export function findProof(
  db: Reader,
  accountId: Id<'account'>,
  domain: string,
): Promise<ProofRow | undefined> {
  return db
    .selectFrom('domain_proofs')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('domain', '=', domain)
    .executeTakeFirst()
}

export function proofsOfAccount(db: Reader, accountId: Id<'account'>): Promise<ProofRow[]> {
  return db
    .selectFrom('domain_proofs')
    .selectAll()
    .where('account_id', '=', accountId)
    .orderBy('domain')
    .execute()
}

/** Proofs of all accounts for a domain, pending ones too. */
export function proofsOfDomain(db: Reader, domain: string): Promise<ProofRow[]> {
  return db
    .selectFrom('domain_proofs')
    .selectAll()
    .where('domain', '=', domain)
    .orderBy('account_id')
    .execute()
}

export async function insertProof(tx: Tx, row: ProofRow): Promise<void> {
  noteChange(tx, 'account', row.account_id)
  await tx.insertInto('domain_proofs').values(row).execute()
}

export async function updateProof(
  tx: Tx,
  { account_id, domain }: Key,
  change: Updateable<Schema['domain_proofs']>,
): Promise<ProofRow | undefined> {
  noteChange(tx, 'account', account_id)
  return tx
    .updateTable('domain_proofs')
    .set(change)
    .where('account_id', '=', account_id)
    .where('domain', '=', domain)
    .returningAll()
    .executeTakeFirst()
}

export async function deleteProof(tx: Tx, { account_id, domain }: Key): Promise<void> {
  noteChange(tx, 'account', account_id)
  await tx
    .deleteFrom('domain_proofs')
    .where('account_id', '=', account_id)
    .where('domain', '=', domain)
    .execute()
}

export async function deleteProofsOf(tx: Tx, accountId: Id<'account'>): Promise<void> {
  await tx.deleteFrom('domain_proofs').where('account_id', '=', accountId).execute()
}

interface ProofLeasing {
  account: Id<'account'>
  now: number
  until: number
}

/** Leases the proof of an account that has been due for longest, so that no other worker checks it too. */
export function leaseNextProof(
  database: Database,
  { account, now, until }: ProofLeasing,
): Promise<ProofRow | null> {
  return leaseFirstDue(database, 'domain_proofs', { account, now }, (tx, domain) =>
    tx
      .updateTable('domain_proofs')
      .set({ lease_until: until })
      .where('account_id', '=', account)
      .where('domain', '=', domain)
      .returningAll()
      .executeTakeFirstOrThrow(),
  )
}
