import type { Key } from '@masthead/contract/schemas/key.ts'
import type { Usage } from '@masthead/contract/schemas/usage.ts'

export type Ban = Usage['bans'][number]

/** Whether a key is answered, and until when that holds; null is for as long as nobody changes it. */
export type KeyState =
  | { is: 'active'; until: number | null }
  | { is: 'expired' }
  | { is: 'banned'; until: number }

export function keyState(key: Pick<Key, 'expiresAt'>, ban: Ban | undefined, now: number): KeyState {
  const expiresAt = key.expiresAt === null ? null : Date.parse(key.expiresAt)
  if (expiresAt !== null && expiresAt <= now) return { is: 'expired' }
  const bannedUntil = ban === undefined ? 0 : Date.parse(ban.until)
  if (bannedUntil > now) return { is: 'banned', until: bannedUntil }
  return { is: 'active', until: expiresAt }
}
