import { day, minute } from '../kernel/clock.ts'
import type { Window } from './policy.ts'

export interface Count {
  start: number
  requests: number
  /** Not included in `requests`. */
  rejected: number
}

type StoredCount = Pick<Count, 'start' | 'requests'>

/** How much history we keep and show: 120 minutes and 30 days. */
const historyLength: Record<Window, number> = { minute: 120, day: 30 }

const unitLength: Record<Window, number> = { minute, day }

/** The start of the oldest minute or day shown. */
export function historyStart(unit: Window, now: number): number {
  const length = unitLength[unit]
  return (Math.floor(now / length) - historyLength[unit] + 1) * length
}

/** Every minute or day up to now, oldest first, with zeros where there were no requests. */
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
