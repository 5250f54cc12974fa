import { day } from '../../kernel/clock.ts'

/** How many days before its end the owner of an uploaded certificate is warned. */
const warningDays = [30, 14, 7, 3, 1] as const

/** When to warn next; null if the last warning has passed. */
export function nextWarningAt(notAfter: number, now: number): number | null {
  return warningDays.map((days) => notAfter - days * day).find((at) => at > now) ?? null
}

/** Whether the certificate ends so soon that its page says so. */
export function endsSoon(notAfter: number, now: number): boolean {
  return notAfter - now <= warningDays[0] * day
}

/** Whole days until the end, rounded to the nearest, since warnings may come a little late. */
export function daysLeft(notAfter: number, now: number): number {
  return Math.max(0, Math.round((notAfter - now) / day))
}
