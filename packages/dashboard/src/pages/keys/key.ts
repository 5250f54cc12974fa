import type { Key } from '@masthead/contract/schemas/key.ts'
import type { Usage } from '@masthead/contract/schemas/usage.ts'

export type KeyBan = Usage['bans'][number]

/** Whether a key is answered, and until when that holds; null is for as long as nobody changes it. */
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

/** When a new key may end, as it is offered. */
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

/** The API's `expiresAt`. A date, as a date field gives it, lasts until its end where the reader is. */
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

/** A length that was chosen as a whole number of units: "15 minutes", "6 hours". */
export function durationWords(seconds: number): string {
  const unit = units.find((each) => seconds >= each.seconds && seconds % each.seconds === 0)
  const [count, name] = unit === undefined ? [seconds, 'second'] : [seconds / unit.seconds, unit.name]
  return `${count} ${name}${count === 1 ? '' : 's'}`
}
