import type { Id } from '@masthead/contract/schemas/fields.ts'
import type { Selectable } from 'kysely'
import type { Reader, Tx } from '../database/database.ts'
import type { Schema } from '../database/schema.ts'
import { idAtTime } from '../kernel/ids.ts'

export type InvitationRow = Selectable<Schema['invitations']>

export async function replaceSetupLinks(tx: Tx, row: Selectable<Schema['setup_links']>): Promise<void> {
  await tx.deleteFrom('setup_links').execute()
  await tx.insertInto('setup_links').values(row).execute()
}

export function findSetupLink(db: Reader, tokenHash: string) {
  return db.selectFrom('setup_links').selectAll().where('token_hash', '=', tokenHash).executeTakeFirst()
}

/** Deletes the setup link, so that it works once. */
export function consumeSetupLink(tx: Tx, tokenHash: string) {
  return tx.deleteFrom('setup_links').where('token_hash', '=', tokenHash).returningAll().executeTakeFirst()
}

export async function insertInvitation(tx: Tx, row: InvitationRow): Promise<void> {
  await tx.insertInto('invitations').values(row).execute()
}

export function findInvitation(db: Reader, tokenHash: string, now: number) {
  return db
    .selectFrom('invitations')
    .innerJoin('accounts', 'accounts.id', 'invitations.account_id')
    .selectAll('invitations')
    .select('accounts.name as account_name')
    .where('token_hash', '=', tokenHash)
    .where('expires_at', '>', now)
    .where('accounts.deleted_at', 'is', null)
    .executeTakeFirst()
}

/** Undefined if it was deleted already. */
export async function deleteInvitation(
  tx: Tx,
  accountId: Id<'account'>,
  id: Id<'invitation'>,
): Promise<InvitationRow | undefined> {
  return tx
    .deleteFrom('invitations')
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst()
}

export function invitationsBefore(
  db: Reader,
  accountId: Id<'account'>,
  now: number,
  before: string | undefined,
  limit: number,
): Promise<InvitationRow[]> {
  return db
    .selectFrom('invitations')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('expires_at', '>', now)
    .$if(before !== undefined, (query) => query.where('id', '<', before as Id<'invitation'>))
    .orderBy('id', 'desc')
    .limit(limit)
    .execute()
}

export async function deleteInvitations(tx: Tx, accountId: Id<'account'>): Promise<void> {
  await tx.deleteFrom('invitations').where('account_id', '=', accountId).execute()
}

/** Deletes up to `most` invitations that expired before a time, and returns how many. Their ids sort by time. */
export async function deleteExpiredInvitations(tx: Tx, before: number, most: number): Promise<number> {
  const expired = tx
    .selectFrom('invitations')
    .select('id')
    .where('id', '<', idAtTime('invitation', before))
    .where('expires_at', '<', before)
    .orderBy('id')
    .limit(most)
  const { numDeletedRows } = await tx.deleteFrom('invitations').where('id', 'in', expired).executeTakeFirst()
  return Number(numDeletedRows)
}

export function invitationsOf(
  tx: Tx,
  accountId: Id<'account'>,
  inviterId: Id<'person'>,
): Promise<InvitationRow[]> {
  return tx
    .selectFrom('invitations')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('inviter_id', '=', inviterId)
    .execute()
}

/** Those that the person could send only as an operator. */
export function invitationsOfOperator(tx: Tx, inviterId: Id<'person'>): Promise<InvitationRow[]> {
  return tx
    .selectFrom('invitations')
    .selectAll()
    .where('inviter_id', '=', inviterId)
    .where('account_id', 'not in', (e) =>
      e
        .selectFrom('members')
        .select('account_id')
        .where('person_id', '=', inviterId)
        .where('role', '=', 'owner'),
    )
    .orderBy('id')
    .execute()
}

/** Expired ones are not returned. */
export function invitationsTo(
  tx: Tx,
  { accountId, email, at }: { accountId: Id<'account'>; email: string; at: number },
): Promise<InvitationRow[]> {
  return tx
    .selectFrom('invitations')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('email', '=', email)
    .where('expires_at', '>', at)
    .orderBy('id')
    .execute()
}

export type ResetRow = Selectable<Schema['password_resets']>

export async function replaceReset(tx: Tx, { person_id, ...row }: ResetRow): Promise<void> {
  await tx
    .insertInto('password_resets')
    .values({ person_id, ...row })
    .onConflict((conflict) => conflict.column('person_id').doUpdateSet(row))
    .execute()
}

export function findReset(db: Reader, tokenHash: string, now: number): Promise<ResetRow | undefined> {
  return db
    .selectFrom('password_resets')
    .selectAll()
    .where('token_hash', '=', tokenHash)
    .where('expires_at', '>', now)
    .executeTakeFirst()
}

/** Deletes the link, so that it works once. False if it was used already. */
export async function consumeReset(tx: Tx, tokenHash: string): Promise<boolean> {
  const taken = await tx
    .deleteFrom('password_resets')
    .where('token_hash', '=', tokenHash)
    .returning('person_id')
    .executeTakeFirst()
  return taken !== undefined
}

export async function deleteResetOf(tx: Tx, personId: Id<'person'>): Promise<void> {
  await tx.deleteFrom('password_resets').where('person_id', '=', personId).execute()
}

/** Ends the links that owners of the account created. */
export async function deleteResetsOfAccount(tx: Tx, accountId: Id<'account'>): Promise<void> {
  await tx.deleteFrom('password_resets').where('account_id', '=', accountId).execute()
}

/** Ends the links that operators created. */
export async function deleteResetsOfOperators(tx: Tx): Promise<void> {
  await tx.deleteFrom('password_resets').where('account_id', 'is', null).execute()
}

/** A person has at most one, so there are few. */
export async function deleteExpiredResets(tx: Tx, before: number): Promise<void> {
  await tx.deleteFrom('password_resets').where('expires_at', '<', before).execute()
}
