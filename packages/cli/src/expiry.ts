import { usageError } from './command-error.ts'

const daysIn: Record<string, number> = { h: 1 / 24, d: 1, w: 7, y: 365 }

/** `90d`, `12h`, `4w`, `1y` from now, or a date such as 2027-01-31. */
export function readExpiry(text: string, now: number): string {
  const [, amount, unit = ''] = /^(\d{1,4})([hdwy])$/.exec(text) ?? []
  const days = daysIn[unit]
  const at = days === undefined ? dateOf(text) : now + Number(amount) * days * 86_400_000
  if (at > now && at < Date.UTC(10_000, 0)) return new Date(at).toISOString()
  throw usageError(
    `--expires ${text} is not a time to come.`,
    'Write it like 90d, 12h, 4w, 1y or 2027-01-31.',
  )
}

function dateOf(text: string): number {
  return /^\d{4}-\d\d-\d\d(T[\d:.]+(Z|[+-]\d\d:\d\d))?$/.test(text) ? Date.parse(text) : Number.NaN
}
