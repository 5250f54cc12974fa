import { day, minute } from '../kernel/clock.ts'
import type { Limits } from './policy.ts'

/** What a caller has used of both windows. A window is empty once its reset has passed. */
export interface WindowUsage {
  readonly minuteUsed: number
  readonly minuteResetAt: number
  readonly dayUsed: number
  readonly dayResetAt: number
}

export const nothingUsed: WindowUsage = { minuteUsed: 0, minuteResetAt: 0, dayUsed: 0, dayResetAt: 0 }

/** The windows as of now. A closed window starts now: the minute at this moment, the day at midnight UTC. */
export function openWindows(usage: WindowUsage, now: number): WindowUsage {
  const minuteLeft = usage.minuteResetAt - now
  const dayLeft = usage.dayResetAt - now
  // A reset too far in the future comes from a clock that was set back since. Ignore it.
  const minuteOpen = minuteLeft > 0 && minuteLeft <= minute
  const dayOpen = dayLeft > 0 && dayLeft <= day
  return minuteOpen && dayOpen ? usage : reopened(usage, minuteOpen, dayOpen, now)
}

function reopened(usage: WindowUsage, minuteOpen: boolean, dayOpen: boolean, now: number): WindowUsage {
  return {
    minuteUsed: minuteOpen ? usage.minuteUsed : 0,
    minuteResetAt: minuteOpen ? usage.minuteResetAt : now + minute,
    dayUsed: dayOpen ? usage.dayUsed : 0,
    dayResetAt: dayOpen ? usage.dayResetAt : endOfDay(now),
  }
}

export function endOfDay(now: number): number {
  return (Math.floor(now / day) + 1) * day
}

export const minuteIsFull = (open: WindowUsage, { perMinute }: Limits) => open.minuteUsed >= perMinute
export const dayIsFull = (open: WindowUsage, { perDay }: Limits) => perDay !== null && open.dayUsed >= perDay
