import type { Usage } from '@masthead/contract/schemas/usage.ts'
import { humanSize } from '../human-size.ts'
import { humanDuration } from '../human-time.ts'
import type { Paint } from './chart.ts'

type Quota = Usage['minute']

const titleWidth = 'This minute  '.length
const longestBar = 24
/** A shorter one tells nothing; it goes to a line of its own. */
const shortestBar = 8
/** From this share on the bar warns. */
const nearlyUsed = 0.8

export interface QuotaLine {
  title: string
  quota: Pick<Quota, 'limit' | 'used'>
  words: string
}

export function windowLine(title: string, quota: Quota, now: number): QuotaLine {
  const { limit, used, resetAt } = quota
  const wait = Math.max(1, Math.ceil((Date.parse(resetAt) - now) / 1000)) * 1000
  const figures = `${used.toLocaleString('en')} of ${limit.toLocaleString('en')} used`
  return { title, quota, words: `${figures}, starts again in ${humanDuration(wait)}` }
}

export function storageLine(quota: Usage['storage']): QuotaLine {
  return { title: 'Storage', quota, words: `${humanSize(quota.used)} of ${humanSize(quota.limit)} used` }
}

/** For each limit a bar of what is used and the same in words, side by side where both fit. */
export function quotaLines(lines: readonly QuotaLine[], width: number, paint: Paint): string[] {
  const longest = Math.max(...lines.map(({ words }) => words.length))
  const space = Math.min(longestBar, width - titleWidth - longest - 2)
  return lines.flatMap(({ title, quota, words }) =>
    space < shortestBar
      ? [`${title}: ${words}`, bar(quota, Math.min(longestBar, width), paint)]
      : [`${title.padEnd(titleWidth)}${bar(quota, space, paint)}  ${words}`],
  )
}

function bar({ used, limit }: QuotaLine['quota'], width: number, paint: Paint): string {
  const share = used / limit
  const length = Math.min(width, Math.max(used > 0 ? 1 : 0, Math.floor(share * width)))
  const filled = '━'.repeat(length)
  const painted = share < nearlyUsed ? filled : paint(share < 1 ? 'yellow' : 'red', filled)
  return painted + '┄'.repeat(width - length)
}
