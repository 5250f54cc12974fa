import { randomInt } from 'node:crypto'
import { roles } from '@masthead/contract/scopes.ts'
import { asMember, type PersonActor, refuseSuspended } from '../accounts/actor.ts'
import { lockMembers } from '../accounts/confirm-access.ts'
import type { Context, Database, KeepResult, Tx } from '../database/database.ts'
import { isoTime, minute } from '../kernel/clock.ts'
import { Problem } from '../kernel/problem.ts'
import { hashSecret, newToken } from '../kernel/tokens.ts'
import { callerOf } from '../limits/caller-address.ts'
import { readMembership } from '../people/read.ts'
import { countAttempt } from '../people/sign-in/attempts.ts'
import { createKey } from './manage-keys.ts'
import {
  decideLogin,
  deleteLogin,
  findLoginBySecret,
  findPendingLogin,
  insertLogin,
  type LoginRow,
} from './store.ts'

const lifetime = 10 * minute
/** No vowels, so that codes do not spell words. */
const codeLetters = 'BCDFGHJKLMNPQRSTVWXZ'

/** A program requests a key. It shows the code, and keeps the secret to claim the key with. */
export async function startLogin(
  context: Context,
  input: { client: string; address: string },
): Promise<{ code: string; secret: string; expiresAt: string }> {
  const { database, now } = context
  await countAttempt(context, [{ kind: 'login', value: callerOf(input.address) }])
  const secret = newToken()
  const code = newCode()
  const at = now()
  await database.write((tx) =>
    insertLogin(tx, {
      ...input,
      code,
      secret_hash: hashSecret(secret),
      state: 'pending',
      account_id: null,
      person_id: null,
      created_at: at,
      expires_at: at + lifetime,
    }),
  )
  return { code, secret, expiresAt: isoTime(at + lifetime) }
}

export async function readLogin({ database, now }: Context, code: string): Promise<LoginRow> {
  const row = await findPendingLogin(database.read, code, now())
  if (row === undefined) throw unknownCode(code)
  return row
}

export async function approveLogin(
  { database, now }: Context,
  actor: PersonActor,
  code: string,
): Promise<void> {
  const { account, person } = asMember(actor)
  refuseSuspended(account)
  const decision = { state: 'approved', account_id: account.id, person_id: person.id } as const
  await database.write(async (tx) => {
    if (!(await decideLogin(tx, code, now(), decision))) throw unknownCode(code)
  })
}

export async function denyLogin({ database, now }: Context, code: string): Promise<void> {
  await database.write(async (tx) => {
    if (!(await decideLogin(tx, code, now(), { state: 'denied' }))) throw unknownCode(code)
  })
}

export type ClaimedLogin =
  | { state: 'pending' | 'denied'; secret: null }
  | { state: 'approved'; secret: string }

/** Returns the key once. Its scopes are those of the person's current role, not of the role at approval. */
export function claimLogin(
  { database, now }: Context,
  secret: string,
  keep: KeepResult<ClaimedLogin>,
): Promise<ClaimedLogin> {
  return database.write(async (tx) => {
    const row = await findLoginBySecret(tx, hashSecret(secret), now())
    if (row === undefined) throw codeUsed()
    if (row.state === 'pending') return { state: 'pending', secret: null }
    if (!(await deleteLogin(tx, row.code))) throw codeUsed()
    const claimed = await issueKey(database, tx, row, now())
    await keep(tx, claimed)
    return claimed
  })
}

async function issueKey(database: Database, tx: Tx, row: LoginRow, at: number): Promise<ClaimedLogin> {
  if (row.state === 'denied' || row.account_id === null || row.person_id === null) {
    return { state: 'denied', secret: null }
  }
  await lockMembers(database, tx, row.account_id)
  const member = await readMembership(tx, row.account_id, row.person_id)
  if (member === undefined) return { state: 'denied', secret: null }
  const key = await createKey(tx, {
    accountId: row.account_id,
    personId: row.person_id,
    name: row.client,
    scopes: roles[member.role].scopes,
    expiresAt: null,
    by: { kind: 'person', id: member.id, name: member.name },
    at,
  })
  return { state: 'approved', secret: key.secret }
}

function newCode(): string {
  const letters = Array.from({ length: 8 }, () => codeLetters.charAt(randomInt(codeLetters.length)))
  return `${letters.slice(0, 4).join('')}-${letters.slice(4).join('')}`
}

function unknownCode(code: string): Problem {
  return new Problem(
    'not_found',
    `No sign-in request has the code ${code}. It may have expired: start again.`,
  )
}

function codeUsed(): Problem {
  return new Problem('link_invalid', 'This sign-in request was used or has expired.')
}
