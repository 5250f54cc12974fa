const second = 1000
const minute = 60 * second
const hour = 60 * minute
const day = 24 * hour

export interface TimeLeft {
  words: string
  /** Milliseconds until the words are no longer true. */
  changesIn: number
}

/** What is left of a wait, never more than there is: "23 s", "3 min", "5 h 12 min", "2 days 4 h". Null: it is over. */
export function timeLeft(until: number, now: number): TimeLeft | null {
  const left = until - now
  if (left <= 0) return null
  if (left < minute) return told(left, second, `${Math.max(1, Math.floor(left / second))} s`)
  if (left < hour) return told(left, minute, `${Math.floor(left / minute)} min`)
  if (left < 2 * day) {
    return told(left, minute, pair(Math.floor(left / hour), 'h', Math.floor((left % hour) / minute), 'min'))
  }
  return told(left, hour, pair(Math.floor(left / day), 'days', Math.floor((left % day) / hour), 'h'))
}

function told(left: number, unit: number, words: string): TimeLeft {
  // Below two seconds the words say one until nothing is left.
  if (unit === second && left < 2 * second) return { words, changesIn: left }
  return { words, changesIn: (left % unit) + 1 }
}

function pair(large: number, largeUnit: string, small: number, smallUnit: string): string {
  return small === 0 ? `${large} ${largeUnit}` : `${large} ${largeUnit} ${small} ${smallUnit}`
}
