/** A time of day in the reader's own zone, with its day where that is not today: "18:51", "02:10 on 16 November". */
export function clockTime(at: number, now: number, timeZone?: string): string {
  const zone = timeZone === undefined ? {} : { timeZone }
  const day = (instant: number) =>
    new Date(instant).toLocaleDateString('en-GB', { day: 'numeric', month: 'long', ...zone })
  const time = new Date(at).toLocaleTimeString('en-GB', { hour: '2-digit', minute: '2-digit', ...zone })
  return day(at) === day(now) ? time : `${time} on ${day(at)}`
}
