import { day, minute } from '../kernel/clock.ts'
import type { Window } from './policy.ts'

export interface Count {
  start: number
  requests: number
  /** Beside them: those that were rejected. */
  rejected: number
}

type StoredCount = Pick<Count, 'start' | 'requests'>

/** How much is shown, and kept: two hours of minutes, thirty days of days. */
export const historyLength: Record<Window, number> = { minute: 120, day: 30 }

const unitLength: Record<Window, number> = { minute, day }

/** The start of the oldest minute or day that is shown. */
export function historyStart(unit: Window, now: number): number {
  const length = unitLength[unit]
  return (Math.floor(now / length) - historyLength[unit] + 1) * length
}

/** Every minute or day up to now, oldest first, with zeros where nothing was asked for. */
export function fillHistory(
  unit: Window,
  counts: readonly StoredCount[],
  rejections: readonly StoredCount[],
  now: number,
): Count[] {
  const [admitted, rejected] = [counts, rejections].map(
    (some) => new Map(some.map(({ start, requests }) => [start, requests])),
  )
  const first = historyStart(unit, now)
  return Array.from({ length: historyLength[unit] }, (_, index) => {
    const start = first + index * unitLength[unit]
    return { start, requests: admitted?.get(start) ?? 0, rejected: rejected?.get(start) ?? 0 }
  })
}
