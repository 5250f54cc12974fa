const second = 1000
const minute = 60 * second
const hour = 60 * minute
const day = 24 * hour

const units = [
  { name: 'second', length: second, below: minute },
  { name: 'minute', length: minute, below: hour },
  { name: 'hour', length: hour, below: day },
  { name: 'day', length: day, below: 30 * day },
] as const

export interface RelativeTime {
  words: string
  /** Milliseconds until the words are no longer true, or null where they stay true. */
  changesIn: number | null
}

/**
 * How long ago, or how far ahead, in whole units rounded down: "2 minutes ago", "in 9 minutes". Days ahead are the
 * nearest ones: what was set to seven days is "in 7 days", although a moment of them has passed.
 */
export function relativeTime(at: number, now: number): RelativeTime {
  const distance = Math.abs(now - at)
  const ahead = at > now
  if (distance < 5 * second) {
    return ahead
      ? { words: 'in a moment', changesIn: distance }
      : { words: 'just now', changesIn: 5 * second - distance }
  }
  const unit = units.find(({ below }) => distance < below)
  if (unit === undefined) return { words: onDateWords(at), changesIn: null }
  const isNearest = ahead && unit.name === 'day'
  const count = isNearest ? Math.round(distance / day) : Math.floor(distance / unit.length)
  const amount = `${count} ${unit.name}${count === 1 ? '' : 's'}`
  if (!ahead) return { words: `${amount} ago`, changesIn: unit.length - (distance % unit.length) }
  // Below a day there are hours.
  const holdsDownTo = isNearest ? Math.max((count - 0.5) * day, day) : count * unit.length
  return { words: `in ${amount}`, changesIn: distance - holdsDownTo + 1 }
}

function onDateWords(at: number): string {
  return `on ${new Date(at).toLocaleDateString('en-GB', { day: 'numeric', month: 'long', year: 'numeric' })}`
}

/** The exact time in the reader's own zone, which is named. */
export function exactTime(at: number, timeZone?: string): string {
  return new Date(at).toLocaleString('en-GB', {
    dateStyle: 'full',
    timeStyle: 'long',
    ...(timeZone === undefined ? {} : { timeZone }),
  })
}

const secondMs = 1000
const minuteMs = 60 * secondMs
const hourMs = 60 * minuteMs
const dayMs = 24 * hourMs

export interface TimeLeft {
  words: string
  /** Milliseconds until the words are no longer true. */
  changesIn: number
}

/** What is left of a wait, never more than there is: "23 s", "3 min", "5 h 12 min", "2 days 4 h". Null: it is over. */
export function timeLeft(until: number, now: number): TimeLeft | null {
  const left = until - now
  if (left <= 0) return null
  if (left < minuteMs)
    return timeLeftUntilChange(left, secondMs, `${Math.max(1, Math.floor(left / secondMs))} s`)
  if (left < hourMs) return timeLeftUntilChange(left, minuteMs, `${Math.floor(left / minuteMs)} min`)
  if (left < 2 * dayMs) {
    return timeLeftUntilChange(
      left,
      minuteMs,
      pair(Math.floor(left / hourMs), 'h', Math.floor((left % hourMs) / minuteMs), 'min'),
    )
  }
  return timeLeftUntilChange(
    left,
    hourMs,
    pair(Math.floor(left / dayMs), 'days', Math.floor((left % dayMs) / hourMs), 'h'),
  )
}

function timeLeftUntilChange(left: number, unit: number, words: string): TimeLeft {
  // Below two seconds the words say one until nothing is left.
  if (unit === secondMs && left < 2 * secondMs) return { words, changesIn: left }
  return { words, changesIn: (left % unit) + 1 }
}

function pair(large: number, largeUnit: string, small: number, smallUnit: string): string {
  return small === 0 ? `${large} ${largeUnit}` : `${large} ${largeUnit} ${small} ${smallUnit}`
}

/** A time of day in the reader's own zone, with its day where that is not today: "18:51", "02:10 on 16 November". */
export function clockTime(at: number, now: number, timeZone?: string): string {
  const zone = timeZone === undefined ? {} : { timeZone }
  const day = (instant: number) =>
    new Date(instant).toLocaleDateString('en-GB', { day: 'numeric', month: 'long', ...zone })
  const time = new Date(at).toLocaleTimeString('en-GB', { hour: '2-digit', minute: '2-digit', ...zone })
  return day(at) === day(now) ? time : `${time} on ${day(at)}`
}

/** `3 January 2027`, in the reader's own zone. */
export function dateWords(iso: string, timeZone?: string): string {
  return new Date(iso).toLocaleDateString('en-GB', {
    day: 'numeric',
    month: 'long',
    year: 'numeric',
    ...(timeZone === undefined ? {} : { timeZone }),
  })
}
