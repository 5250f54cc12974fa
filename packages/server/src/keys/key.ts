import type { Key } from '@masthead/contract/schemas/key.ts'
import { type Scope, scopeNames } from '@masthead/contract/scopes.ts'
import { isoTime, isoTimeOrNull } from '../kernel/clock.ts'
import type { KeyRow } from './store.ts'

export function toKey(row: KeyRow): Key {
  return {
    id: row.id,
    name: row.name,
    scopes: readScopes(row.scopes),
    hint: row.hint,
    createdAt: isoTime(row.created_at),
    createdBy:
      row.created_by_kind === null ? null : { kind: row.created_by_kind, name: row.created_by_name ?? '' },
    responsible: row.responsible_id,
    expiresAt: isoTimeOrNull(row.expires_at),
    lastUsedAt: isoTimeOrNull(row.last_used_at),
  }
}

/** Stored as words separated by spaces. */
export function writeScopes(scopes: readonly Scope[]): string {
  return scopeNames.filter((scope) => scopes.includes(scope)).join(' ')
}

export function readScopes(text: string): Scope[] {
  return text.split(' ').filter((word): word is Scope => scopeNames.includes(word as Scope))
}
