const steps = [
  { unit: 'd', ms: 86_400_000 },
  { unit: 'h', ms: 3_600_000 },
  { unit: 'min', ms: 60_000 },
] as const

/** "0.4 s", "23 s", "5 min", "3 h", "2 d": rounded up from the minute on, since it tells how long to wait. */
export function humanDuration(ms: number): string {
  for (const { unit, ms: length } of steps) if (ms >= length) return `${Math.ceil(ms / length)} ${unit}`
  const seconds = ms / 1000
  return `${seconds < 9.95 ? seconds.toFixed(1).replace(/\.0$/, '') : Math.ceil(seconds)} s`
}

/** "just now", "5 min ago", "3 h ago"; the date once it is more than a month ago. */
export function timeAgo(iso: string, now: number): string {
  const ms = now - Date.parse(iso)
  if (ms < 60_000) return 'just now'
  if (ms > 30 * 86_400_000) return iso.slice(0, 10)
  for (const { unit, ms: length } of steps) if (ms >= length) return `${Math.floor(ms / length)} ${unit} ago`
  return 'just now'
}
