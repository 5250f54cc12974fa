export interface BarScale {
  /** The height of each bar, from 0 to 1. */
  heights: number[]
  /** The height of what stands on each bar, as far as there is room for it. */
  above: number[]
  /** The height of the limit, from 0 to 1. */
  limitAt: number
  /** The place of the first of the highest bars; null where all are empty. */
  peak: number | null
}

/** What is not nothing can be seen. */
const leastHeight = 0.015
/** What stands on bars can be many times as much as they are: it has this part of the picture, and a figure. */
const roomAbove = 0.2

/** The limit is always in the picture; bars above it, from before it was lowered, make room for themselves. */
export function barScale(values: readonly number[], limit: number, above: readonly number[] = []): BarScale {
  const highest = values.reduce((most, value) => Math.max(most, value), 0)
  const isAnyAbove = above.some((value) => value > 0)
  const top = Math.max(limit, highest, 1) / (isAnyAbove ? 1 - roomAbove : 1)
  const heightOf = (value: number) => (value <= 0 ? 0 : Math.max(leastHeight, value / top))
  const heights = values.map(heightOf)
  return {
    heights,
    above: heights.map((height, index) => Math.min(heightOf(above[index] ?? 0), 1 - height)),
    limitAt: limit / top,
    peak: highest <= 0 ? null : values.indexOf(highest),
  }
}

/** Which bar stands at a place of the picture, from 0 at its left to 1 at its right. */
export function barAt(place: number, count: number): number {
  return Math.min(count - 1, Math.max(0, Math.floor(place * count)))
}

/** Where a key leads from a bar, or null for a key that leads nowhere. */
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

/** From here on a meter warns. */
const nearlyFrom = 0.8

/** How much of a limit is used. More than all of it, after the limit was lowered, is all of it. */
export function meterFill(used: number, limit: number): MeterFill {
  if (used >= limit) return { part: 1, state: 'full' }
  const part = Math.max(0, used / limit)
  return { part, state: part >= nearlyFrom ? 'nearly' : 'enough' }
}

/** A minute by the reader's own clock: "18:47". */
export function minuteLabel(start: number, timeZone?: string): string {
  const zone = timeZone === undefined ? {} : { timeZone }
  return new Date(start).toLocaleTimeString('en-GB', { hour: '2-digit', minute: '2-digit', ...zone })
}

/** A day as the limit counts it, which is in UTC wherever the reader is: "15 Nov". */
export function dayLabel(start: number): string {
  return new Date(start).toLocaleDateString('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' })
}
