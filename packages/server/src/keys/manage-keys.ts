import type { Id, Page } from '@masthead/contract/schemas/fields.ts'
import type { CreatedKey, Key } from '@masthead/contract/schemas/key.ts'
import type { Scope } from '@masthead/contract/scopes.ts'
import type { AccountActor } from '../accounts/actor.ts'
import type { Context, Tx } from '../database/database.ts'
import { type PageRequest, readCursor, toPage } from '../database/list-query.ts'
import { type EventActor, recordEvent } from '../events/record-event.ts'
import { isoTime } from '../kernel/clock.ts'
import { newId } from '../kernel/ids.ts'
import { Problem } from '../kernel/problem.ts'
import { hashSecret, newKeySecret } from '../kernel/tokens.ts'
import { toKey, writeScopes } from './key.ts'
import {
  deleteExpiredPipelineKeys,
  deleteKey,
  deleteKeys,
  deleteKeysOfProject,
  deleteKeysOfPublisher,
  insertKey,
  keysBefore,
} from './store.ts'

export interface NewKey {
  accountId: Id<'account'>
  /** For a personal key: it ends with the person's membership, and never has more scopes than their role. */
  personId?: Id<'person'>
  /** The person responsible for a key that acts for the account. */
  responsibleId?: Id<'person'> | null
  name: string
  scopes: readonly Scope[]
  expiresAt: number | null
  /** Limits the key to one project. */
  project?: { id: Id<'project'>; slug: string } | null
  /** Set if a pipeline gets the key for its token. */
  publisherId?: Id<'publisher'>
  /** The branch that it can go live from; empty: none. Omitted or null: it does not matter. */
  liveBranch?: string | null
  previewBranch?: string | null
  by: EventActor
  at: number
}

/** The secret is returned once and not stored. */
export async function createKey(tx: Tx, input: NewKey): Promise<CreatedKey> {
  const key = await issueKey(tx, input)
  const { accountId, name, by, at } = input
  await recordEvent(tx, { accountId, type: 'key.created', by, at, data: { keyId: key.id, name } })
  return key
}

/** Without an event. */
export async function issueKey(tx: Tx, input: NewKey): Promise<CreatedKey> {
  const { accountId, name, scopes, expiresAt, by, at, project = null } = input
  if (expiresAt !== null && expiresAt <= at) {
    throw new Problem('invalid_input', 'The key must expire in the future.', {
      extra: { errors: [{ path: 'expiresAt', message: 'must be in the future' }] },
    })
  }
  const secret = newKeySecret()
  const row = {
    id: newId('key', at),
    account_id: accountId,
    person_id: input.personId ?? null,
    name,
    scopes: writeScopes(scopes, { isLimited: project !== null }),
    secret_hash: hashSecret(secret),
    hint: secret.slice(-4),
    created_at: at,
    expires_at: expiresAt,
    last_used_at: null,
    created_by_kind: by.kind,
    created_by_id: by.id,
    created_by_name: by.name,
    responsible_id: input.personId ?? input.responsibleId ?? null,
    project_id: project?.id ?? null,
    publisher_id: input.publisherId ?? null,
    live_branch: input.liveBranch ?? null,
    preview_branch: input.previewBranch ?? null,
  }
  await insertKey(tx, row)
  return { ...toKey({ ...row, project_slug: project?.slug ?? null }), secret }
}

/** A key cannot create one that outlives it. */
export function refuseLongerLife(expiresAt: number | null, actor: AccountActor): void {
  if (actor.kind !== 'key' || actor.key.expiresAt === null) return
  if (expiresAt !== null && expiresAt <= actor.key.expiresAt) return
  const end = isoTime(actor.key.expiresAt)
  throw new Problem('forbidden', `This key expires at ${end}, so a key it creates can't expire later.`)
}

/** Nobody can grant scopes they don't have. */
export function refuseWiderScopes(wanted: readonly Scope[], own: readonly Scope[]): void {
  const missing = wanted.filter((scope) => !own.includes(scope))
  if (missing.length === 0) return
  throw new Problem(
    'forbidden',
    `You don't have ${missing.join(', ')} yourself, so you can't give it to a key.`,
  )
}

export async function listKeys(
  { database }: Context,
  accountId: Id<'account'>,
  { cursor, limit }: PageRequest,
): Promise<Page<Key>> {
  const rows = await keysBefore(database.read, accountId, readCursor(cursor), limit + 1)
  return toPage(rows, limit, (row) => row.id, toKey)
}

interface Revocation {
  accountId: Id<'account'>
  keyId: Id<'key'>
  by: EventActor
}

export function revokeKey({ database, now }: Context, input: Revocation): Promise<void> {
  return database.write((tx) => revokeKeyIn(tx, { ...input, at: now() }))
}

/** The same, inside a transaction of the caller. */
export async function revokeKeyIn(
  tx: Tx,
  { accountId, keyId, by, at }: Revocation & { at: number },
): Promise<void> {
  const row = await deleteKey(tx, accountId, keyId)
  if (row === undefined) throw new Problem('not_found', `There is no key ${keyId}.`)
  await recordEvent(tx, { accountId, type: 'key.revoked', by, at, data: { keyId, name: row.name } })
}

export async function revokeAllKeys(tx: Tx, accountId: Id<'account'>): Promise<void> {
  await deleteKeys(tx, accountId)
}

/** They could not do anything any more. */
export async function revokeKeysOfProject(
  tx: Tx,
  of: { accountId: Id<'account'>; projectId: Id<'project'> },
): Promise<void> {
  await deleteKeysOfProject(tx, of)
}

export async function revokeKeysOfPublisher(
  tx: Tx,
  of: { accountId: Id<'account'>; publisherId: Id<'publisher'> },
): Promise<void> {
  await deleteKeysOfPublisher(tx, of)
}

/** Each run of a pipeline leaves a key that nobody can use any more. */
export async function forgetPipelineKeys({ database, now }: Context): Promise<void> {
  await database.write((tx) => deleteExpiredPipelineKeys(tx, now()))
}
