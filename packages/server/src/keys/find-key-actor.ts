import { type Role, roles, type Scope } from '@masthead/contract/scopes.ts'
import { accountOf } from '../accounts/account.ts'
import type { KeyActor } from '../accounts/actor.ts'
import type { Context } from '../database/database.ts'
import { minute } from '../kernel/clock.ts'
import { hashSecret, looksLikeKey } from '../kernel/tokens.ts'
import { readScopes } from './key.ts'
import { findKeyBySecret, setLastUsed } from './store.ts'

/** Last use is stored to the minute, so that not every request writes. */
const lastUsePrecision = minute

/** Null if the key is unknown, revoked or expired. */
export async function findKeyActor({ database, now }: Context, secret: string): Promise<KeyActor | null> {
  if (!looksLikeKey(secret)) return null
  const row = await findKeyBySecret(database.read, hashSecret(secret), now())
  if (row === undefined) return null
  const scopes = effectiveScopes(row)
  if (scopes === null) return null
  if (row.last_used_at === null || row.last_used_at < now() - lastUsePrecision) {
    const at = now()
    database.writeLater(`use of ${row.key_id}`, (tx) => setLastUsed(tx, row.key_id, at))
  }
  return {
    kind: 'key',
    account: accountOf(row),
    key: {
      id: row.key_id,
      name: row.key_name,
      expiresAt: row.key_expires_at,
      responsibleId: row.responsible_id,
    },
    scopes,
  }
}

/** A personal key never has more scopes than its person's role. Null once the person has left. */
function effectiveScopes(row: {
  scopes: string
  person_id: string | null
  role: Role | null
}): Scope[] | null {
  const granted = readScopes(row.scopes)
  if (row.person_id === null) return granted
  if (row.role === null) return null
  const allowed: readonly Scope[] = roles[row.role].scopes
  return granted.filter((scope) => allowed.includes(scope))
}
