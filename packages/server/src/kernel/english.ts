import { printableText } from './escape-text.ts'

const most = 4

/** `a, b and c`; where there are many, `a, b, c and 5 more`. */
export function formatList(items: readonly string[]): string {
  const all = [...new Set(items)]
  const rest = all.length > most ? [`${all.length - most + 1} more`] : []
  const shown = [
    ...all.slice(0, rest.length === 0 ? most : most - 1).map((item) => printableText(item)),
    ...rest,
  ]
  const last = shown.pop() ?? ''
  return shown.length === 0 ? last : `${shown.join(', ')} and ${last}`
}

/** `A 192.0.2.1 and AAAA 2001:db8::1`. */
export function formatRecords(records: readonly { type: string; value: string }[]): string {
  return formatList(records.map(({ type, value }) => `${type} ${value}`))
}

/** `an A record`, `a CNAME record`. */
export function withArticle(type: string): string {
  return `${type.startsWith('A') ? 'an' : 'a'} ${type} record`
}

/** Rounds up to whole units: `2 hours`. */
export function formatDuration(seconds: number): string {
  const units: [string, number][] = [
    ['day', 86_400],
    ['hour', 3_600],
    ['minute', 60],
  ]
  const [unit, length] = units.find(([, one]) => seconds >= one) ?? ['second', 1]
  const count = Math.ceil(seconds / length)
  return `${count} ${unit}${count === 1 ? '' : 's'}`
}
