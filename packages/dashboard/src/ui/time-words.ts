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
  /** Milliseconds until the words change, or null if they never do. */
  changesIn: number | null
}

/**
 * In whole units rounded down: "2 minutes ago", "in 9 minutes". Days ahead are rounded to the nearest, so that
 * something seven days from now is "in 7 days" a moment later too.
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
  if (unit === undefined) return { words: `on ${dateWords(at)}`, changesIn: null }
  const isNearest = ahead && unit.name === 'day'
  const count = isNearest ? Math.round(distance / day) : Math.floor(distance / unit.length)
  const amount = `${count} ${unit.name}${count === 1 ? '' : 's'}`
  if (!ahead) return { words: `${amount} ago`, changesIn: unit.length - (distance % unit.length) }
  // Below one day the unit changes to hours.
  const holdsDownTo = isNearest ? Math.max((count - 0.5) * day, day) : count * unit.length
  return { words: `in ${amount}`, changesIn: distance - holdsDownTo + 1 }
}

/** The exact time with its time zone. */
export function exactTime(at: number, timeZone?: string): string {
  return new Date(at).toLocaleString('en-GB', {
    dateStyle: 'full',
    timeStyle: 'long',
    ...(timeZone === undefined ? {} : { timeZone }),
  })
}

export interface TimeLeft {
  words: string
  /** Milliseconds until the words change. */
  changesIn: number
}

/** Rounded down: "23 s", "3 min", "5 h 12 min", "2 days 4 h". Null once it is over. */
export function timeLeft(until: number, now: number): TimeLeft | null {
  const left = until - now
  if (left <= 0) return null
  if (left < minute) return withNextChange(left, second, `${Math.max(1, Math.floor(left / second))} s`)
  if (left < hour) return withNextChange(left, minute, `${Math.floor(left / minute)} min`)
  if (left < 2 * day) {
    return withNextChange(
      left,
      minute,
      pair(Math.floor(left / hour), 'h', Math.floor((left % hour) / minute), 'min'),
    )
  }
  return withNextChange(
    left,
    hour,
    pair(Math.floor(left / day), 'days', Math.floor((left % day) / hour), 'h'),
  )
}

function withNextChange(left: number, unit: number, words: string): TimeLeft {
  // Below two seconds the words stay at one second until the end.
  if (unit === second && left < 2 * second) return { words, changesIn: left }
  return { words, changesIn: (left % unit) + 1 }
}

function pair(large: number, largeUnit: string, small: number, smallUnit: string): string {
  return small === 0 ? `${large} ${largeUnit}` : `${large} ${largeUnit} ${small} ${smallUnit}`
}

/** With the date if it is not today: "18:51", "02:10 on 16 November". */
export function clockTime(at: number, now: number, timeZone?: string): string {
  const zone = timeZone === undefined ? {} : { timeZone }
  const dayOf = (instant: number) =>
    new Date(instant).toLocaleDateString('en-GB', { day: 'numeric', month: 'long', ...zone })
  const time = new Date(at).toLocaleTimeString('en-GB', { hour: '2-digit', minute: '2-digit', ...zone })
  return dayOf(at) === dayOf(now) ? time : `${time} on ${dayOf(at)}`
}

/** `3 January 2027` */
export function dateWords(at: string | number): string {
  return new Date(at).toLocaleDateString('en-GB', { day: 'numeric', month: 'long', year: 'numeric' })
}
