import { type Role, roles, type Scope } from '@masthead/contract/scopes.ts'
import { accountOf } from '../accounts/account.ts'
import type { KeyActor } from '../accounts/actor.ts'
import type { Context, Database } from '../database/database.ts'
import type { ChangeFeed } from '../events/change-feed.ts'
import { CurrentCache } from '../events/current-cache.ts'
import { minute } from '../kernel/clock.ts'
import { readScopes } from './key.ts'
import { findKeyBySecret, setLastUsed } from './store.ts'

/** Last use is stored to the minute, so that not every request writes. */
const lastUsePrecision = minute

interface FoundKey {
  actor: KeyActor
  /** A personal key depends on this person's role. */
  personId: string | null
  lastUsedAt: number | null
}

export type KeyCache = CurrentCache<FoundKey>

export function createKeyCache(changes: Pick<ChangeFeed, 'isCurrent' | 'subscribe'>): KeyCache {
  return new CurrentCache<FoundKey>(changes, {
    kind: 'access',
    maxWeight: 10_000,
    subjectsOf: ({ actor, personId }) =>
      personId === null ? [actor.account.id] : [actor.account.id, personId],
  })
}

/** Null if the key is unknown, revoked or expired. A key that is in the cache is found without a promise. */
export function findKeyActor(
  context: Context,
  secretHash: string,
  cache: KeyCache | null = null,
): KeyActor | null | Promise<KeyActor | null> {
  const known = cache?.known(secretHash)
  if (known !== undefined) return useKey(context, known)
  const load = () => loadKey(context.database, secretHash)
  const loaded = cache === null ? load() : cache.get(secretHash, load)
  return loaded.then((found) => found && useKey(context, found))
}

/** Null if it has expired. */
function useKey({ database, now }: Context, found: FoundKey): KeyActor | null {
  const { key } = found.actor
  const at = now()
  if (key.expiresAt !== null && key.expiresAt <= at) return null
  if (found.lastUsedAt === null || found.lastUsedAt < at - lastUsePrecision) {
    found.lastUsedAt = at
    database.writeLater(`use of ${key.id}`, (tx) => setLastUsed(tx, key.id, at))
  }
  return found.actor
}

async function loadKey(database: Database, secretHash: string): Promise<FoundKey | null> {
  const [row] = await findKeyBySecret(database, { secretHash })
  const scopes = row === undefined ? null : effectiveScopes(row)
  if (row === undefined || scopes === null) return null
  const { key_id: id, key_name: name, key_expires_at: expiresAt, responsible_id: responsibleId } = row
  // Frozen, because requests share it.
  const actor: KeyActor = Object.freeze({
    kind: 'key',
    account: Object.freeze(accountOf(row)),
    key: Object.freeze({
      id,
      name,
      personName: row.person_name,
      expiresAt,
      responsibleId,
      projectId: row.project_id,
      isOfPipeline: row.publisher_id !== null,
      liveBranch: row.live_branch,
      previewBranch: row.preview_branch,
    }),
    scopes: Object.freeze(scopes),
  })
  return { actor, personId: row.person_id, lastUsedAt: row.last_used_at }
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
