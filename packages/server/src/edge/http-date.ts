let second = 0
let date = ''

/** The current time as in a Date header (RFC 9110, 5.6.7). The same string within one second. */
export function httpDate(now: number = Date.now()): string {
  const current = Math.floor(now / 1000)
  if (current !== second) {
    second = current
    date = new Date(now).toUTCString()
  }
  return date
}
