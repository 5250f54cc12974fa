const second = 1_000

let date = ''

/**
 * The current time as in a Date header (RFC 9110, 5.6.7). The same string within one second: asking for the time would
 * cost more than the rest.
 */
export function httpDate(): string {
  if (date === '') {
    const now = Date.now()
    date = new Date(now).toUTCString()
    setTimeout(forget, second - (now % second)).unref()
  }
  return date
}

function forget(): void {
  date = ''
}
