import type { Key } from '@masthead/contract/schemas/key.ts'
import type { Usage } from '@masthead/contract/schemas/usage.ts'

export type KeyBan = Usage['bans'][number]

/** The state of a key and when it ends; null if it has no end. */
export type KeyState =
  | { is: 'active'; until: number | null }
  | { is: 'expired' }
  | { is: 'banned'; until: number }

export function keyState(key: Pick<Key, 'expiresAt'>, ban: KeyBan | undefined, now: number): KeyState {
  const expiresAt = key.expiresAt === null ? null : Date.parse(key.expiresAt)
  if (expiresAt !== null && expiresAt <= now) return { is: 'expired' }
  const bannedUntil = ban === undefined ? 0 : Date.parse(ban.until)
  if (bannedUntil > now) return { is: 'banned', until: bannedUntil }
  return { is: 'active', until: expiresAt }
}

export const expiryChoices = {
  never: { label: 'Never', days: null },
  month: { label: 'In 30 days', days: 30 },
  quarter: { label: 'In 90 days', days: 90 },
  year: { label: 'In a year', days: 365 },
  date: { label: 'On a date', days: null },
} as const

export type ExpiryChoice = keyof typeof expiryChoices

export function isExpiryChoice(value: string): value is ExpiryChoice {
  return Object.hasOwn(expiryChoices, value)
}

/** The API's `expiresAt`. A chosen date includes that whole day in the reader's time zone. */
export function expiresAt(choice: ExpiryChoice, date: string, now: number): string | null {
  if (choice === 'date') return new Date(`${date}T23:59:59`).toISOString()
  const { days } = expiryChoices[choice]
  return days === null ? null : new Date(now + days * 86_400_000).toISOString()
}

const units = [
  { name: 'day', seconds: 86_400 },
  { name: 'hour', seconds: 3_600 },
  { name: 'minute', seconds: 60 },
] as const

/** In the largest unit that divides it evenly: "15 minutes", "6 hours". */
export function durationWords(seconds: number): string {
  const unit = units.find((each) => seconds >= each.seconds && seconds % each.seconds === 0)
  const [count, name] = unit === undefined ? [seconds, 'second'] : [seconds / unit.seconds, unit.name]
  return `${count} ${name}${count === 1 ? '' : 's'}`
}
