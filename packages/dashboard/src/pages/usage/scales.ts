export interface BarScale {
  /** The height of each bar, from 0 to 1. */
  heights: number[]
  /** The height of the value stacked on each bar, capped at the top. */
  above: number[]
  /** The height of the limit, from 0 to 1. */
  limitAt: number
  /** The index of the first highest bar; null if all are empty. */
  peak: number | null
}

/** Keeps small values visible. */
const minHeight = 0.015
/** Stacked values can dwarf the bars, so they only get this share of the height. */
const roomAbove = 0.2

/** The limit is always visible. Bars above it, from before it was lowered, extend the scale. */
export function barScale(values: readonly number[], limit: number, above: readonly number[] = []): BarScale {
  const highest = values.reduce((most, value) => Math.max(most, value), 0)
  const isAnyAbove = above.some((value) => value > 0)
  const top = Math.max(limit, highest, 1) / (isAnyAbove ? 1 - roomAbove : 1)
  const heightOf = (value: number) => (value <= 0 ? 0 : Math.max(minHeight, value / top))
  const heights = values.map(heightOf)
  return {
    heights,
    above: heights.map((height, index) => Math.min(heightOf(above[index] ?? 0), 1 - height)),
    limitAt: limit / top,
    peak: highest <= 0 ? null : values.indexOf(highest),
  }
}

/** The bar at a horizontal position, from 0 on the left to 1 on the right. */
export function barAt(position: number, count: number): number {
  return Math.min(count - 1, Math.max(0, Math.floor(position * count)))
}

/** The bar that a key moves to, or null for other keys. */
export function barByKey(key: string, from: number, count: number): number | null {
  const last = count - 1
  const leap = Math.ceil(count / 10)
  const to: Record<string, number> = {
    ArrowLeft: from - 1,
    ArrowDown: from - 1,
    ArrowRight: from + 1,
    ArrowUp: from + 1,
    PageDown: from - leap,
    PageUp: from + leap,
    Home: 0,
    End: last,
  }
  const wanted = Object.hasOwn(to, key) ? to[key] : undefined
  return wanted === undefined ? null : Math.min(last, Math.max(0, wanted))
}

export interface MeterFill {
  /** From 0 to 1. */
  part: number
  state: 'enough' | 'nearly' | 'full'
}

/** A meter warns from here. */
const nearlyFrom = 0.8

/** Capped at 1, because a limit can be lowered below what is used. */
export function meterFill(used: number, limit: number): MeterFill {
  if (used >= limit) return { part: 1, state: 'full' }
  const part = Math.max(0, used / limit)
  return { part, state: part >= nearlyFrom ? 'nearly' : 'enough' }
}

/** In the reader's time zone: "18:47". */
export function minuteLabel(start: number, timeZone?: string): string {
  const zone = timeZone === undefined ? {} : { timeZone }
  return new Date(start).toLocaleTimeString('en-GB', { hour: '2-digit', minute: '2-digit', ...zone })
}

/** In UTC, as the limit counts days: "15 Nov". */
export function dayLabel(start: number): string {
  return new Date(start).toLocaleDateString('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' })
}
