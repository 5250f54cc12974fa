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
  if (unit === undefined) return { words: dateWords(at), changesIn: null }
  const isNearest = ahead && unit.name === 'day'
  const count = isNearest ? Math.round(distance / day) : Math.floor(distance / unit.length)
  const amount = `${count} ${unit.name}${count === 1 ? '' : 's'}`
  if (!ahead) return { words: `${amount} ago`, changesIn: unit.length - (distance % unit.length) }
  // Below a day there are hours.
  const holdsDownTo = isNearest ? Math.max((count - 0.5) * day, day) : count * unit.length
  return { words: `in ${amount}`, changesIn: distance - holdsDownTo + 1 }
}

function dateWords(at: number): string {
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
