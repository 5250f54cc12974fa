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
