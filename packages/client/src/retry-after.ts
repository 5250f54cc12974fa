/** Milliseconds from `now` that a Retry-After header asks for (RFC 9110, 10.2.3), or null when it says nothing. */
export function readRetryAfter(value: string | null, now: number): number | null {
  const text = value?.trim() ?? ''
  if (/^\d+$/.test(text)) return Number(text) * 1000
  if (!/^[A-Z][a-z]{2,8},? /.test(text)) return null
  const date = Date.parse(text)
  return Number.isNaN(date) ? null : Math.max(0, date - now)
}
