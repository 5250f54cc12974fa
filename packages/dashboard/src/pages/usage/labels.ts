/** A minute by the reader's own clock: "18:47". */
export function minuteLabel(start: number, timeZone?: string): string {
  const zone = timeZone === undefined ? {} : { timeZone }
  return new Date(start).toLocaleTimeString('en-GB', { hour: '2-digit', minute: '2-digit', ...zone })
}

/** A day as the limit counts it, which is in UTC wherever the reader is: "15 Nov". */
export function dayLabel(start: number): string {
  return new Date(start).toLocaleDateString('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' })
}
