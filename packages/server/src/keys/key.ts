import type { Key } from '@masthead/contract/schemas/key.ts'
import { type Scope, scopeNames } from '@masthead/contract/scopes.ts'
import { isoTime, isoTimeOrNull } from '../kernel/clock.ts'
import type { KeyRow } from './store.ts'

export function toKey(row: KeyRow & { project_slug: string | null }): Key {
  return {
    id: row.id,
    name: row.name,
    scopes: readScopes(row.scopes),
    project: row.project_id === null ? null : { id: row.project_id, slug: row.project_slug ?? '' },
    hint: row.hint,
    createdAt: isoTime(row.created_at),
    createdBy:
      row.created_by_kind === null ? null : { kind: row.created_by_kind, name: row.created_by_name ?? '' },
    responsible: row.responsible_id,
    expiresAt: isoTimeOrNull(row.expires_at),
    lastUsedAt: isoTimeOrNull(row.last_used_at),
  }
}

const limitedPrefix = 'project:'

/**
 * Stored as words separated by spaces. Those of a key for one project have a prefix, so that a server of an earlier
 * version, which would let the key use every project, finds no scopes.
 */
export function writeScopes(scopes: readonly Scope[], { isLimited }: { isLimited: boolean }): string {
  const prefix = isLimited ? limitedPrefix : ''
  return scopeNames
    .filter((scope) => scopes.includes(scope))
    .map((scope) => `${prefix}${scope}`)
    .join(' ')
}

export function readScopes(text: string): Scope[] {
  return text
    .split(' ')
    .map((word) => (word.startsWith(limitedPrefix) ? word.slice(limitedPrefix.length) : word))
    .filter((word): word is Scope => scopeNames.includes(word as Scope))
}
