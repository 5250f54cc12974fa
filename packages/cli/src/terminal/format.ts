/** "1 file", "12,000 files". Not by `toLocaleString`, which takes 25 ms when first used. */
export function formatCount(n: number, noun: string): string {
  return `${formatNumber(n)} ${noun}${n === 1 ? '' : 's'}`
}

/** A whole number: "12,000". */
export function formatNumber(n: number): string {
  return String(n).replaceAll(/\B(?=(\d{3})+$)/g, ',')
}

const steps = [
  { unit: 'd', ms: 86_400_000 },
  { unit: 'h', ms: 3_600_000 },
  { unit: 'min', ms: 60_000 },
] as const

/** "0.4 s", "63 s", "5 min", "3 h 20 min", "2 d 1 h": rounded up from ten seconds on, so that nobody retries too early. */
export function formatDuration(ms: number): string {
  const seconds = ms / 1000
  if (seconds < 9.95) return `${seconds.toFixed(1).replace(/\.0$/, '')} s`
  if (seconds < 120) return `${Math.ceil(seconds)} s`
  const minutes = Math.ceil(seconds / 60)
  if (minutes < 60) return `${minutes} min`
  if (minutes < 24 * 60) return parts(minutes, 60, 'h', 'min')
  return parts(Math.ceil(minutes / 60), 24, 'd', 'h')
}

function parts(amount: number, perUnit: number, unit: string, rest: string): string {
  const whole = `${Math.floor(amount / perUnit)} ${unit}`
  return amount % perUnit === 0 ? whole : `${whole} ${amount % perUnit} ${rest}`
}

/** "just now", "5 min ago", "3 h ago"; the date once it is more than a month ago. */
export function timeAgo(iso: string, now: number): string {
  const ms = now - Date.parse(iso)
  if (ms < 60_000) return 'just now'
  if (ms > 30 * 86_400_000) return iso.slice(0, 10)
  for (const { unit, ms: length } of steps) if (ms >= length) return `${Math.floor(ms / length)} ${unit} ago`
  return 'just now'
}

/** "12:03" today, otherwise "14 Nov 12:03", with the year if it differs; in local time. */
export function clockTime(iso: string, now: number): string {
  const [date, today] = [new Date(iso), new Date(now)]
  const time = date.toLocaleTimeString('en-GB', { hour: '2-digit', minute: '2-digit' })
  if (date.toDateString() === today.toDateString()) return time
  const year = date.getFullYear() === today.getFullYear() ? {} : { year: 'numeric' as const }
  return `${date.toLocaleDateString('en-GB', { day: 'numeric', month: 'short', ...year })} ${time}`
}
