import { hash } from 'node:crypto'
import type { ProtectionScope } from '@masthead/contract/project-settings.ts'
import type { Protection } from '@masthead/contract/schemas/project.ts'
import { isoTime } from '../kernel/clock.ts'

/** What the project's own password protects, as the edge needs it. */
export interface SiteProtection {
  scope: ProtectionScope
  /** Normalized; each covers itself and everything below it. */
  paths: readonly string[]
  /** Shown to visitors. */
  note: string
  /** Of the password, by argon2id. */
  hash: string
}

/** The column `projects.protection`, as JSON. */
interface StoredProtection extends SiteProtection {
  passwordSetAt: number
  /** Set once it is removed, so that the removal can be undone. */
  removedAt?: number
}

export function parseProtection(column: string | null): StoredProtection | null {
  return column === null ? null : (JSON.parse(column) as StoredProtection)
}

export function formatProtection(protection: StoredProtection): string {
  return JSON.stringify(protection)
}

/** Null if it was removed. */
export function activeProtection(column: string | null): StoredProtection | null {
  const stored = parseProtection(column)
  return stored === null || stored.removedAt !== undefined ? null : stored
}

/** What members see. */
export function toProtection(column: string | null): Protection | null {
  const active = activeProtection(column)
  if (active === null) return null
  const { scope, paths, note, passwordSetAt } = active
  return { scope, paths: [...paths], note, passwordSetAt: isoTime(passwordSetAt) }
}

/** The name of a user as it is counted and compared, however a keyboard writes its accents. */
export function normalizeUser(typed: string): string {
  return typed.normalize('NFC')
}

/** The credentials of a user, or with null those of no user. */
export function credentialsOf<T extends { user: string | null }>(
  all: readonly T[],
  user: string | null,
): T[] {
  return all.filter((one) => (one.user === null ? null : normalizeUser(one.user)) === user)
}

/** Names a password without telling it. Another password, or the same one set again, has another name. */
export function credentialId(passwordHash: string): string {
  return hash('sha256', passwordHash, 'base64url').slice(0, 16)
}

const memberMark = 'm-'

/** Whether it is a member's. Digests of passwords are sixteen characters long. */
export function isMemberCredential(credential: string): boolean {
  return credential.startsWith(memberMark) && credential.length > 16
}

/** What a member of the account has instead of a password. It ends when any of the passwords changes. */
export function memberCredential(ids: Iterable<string>): string {
  return `${memberMark}${hash('sha256', [...ids].sort().join(), 'base64url').slice(0, 16)}`
}
