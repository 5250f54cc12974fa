import type { Usage } from '@masthead/contract/schemas/usage.ts'
import { humanDuration } from '../human-time.ts'
import type { Paint } from './chart.ts'

type Quota = Usage['minute']

const titleWidth = 'This minute  '.length
const longestBar = 24
/** A shorter one tells nothing; it goes to a line of its own. */
const shortestBar = 8
/** From this share on the bar warns. */
const nearlyUsed = 0.8

/** For each window a bar of what is used and the same in words, side by side where both fit. */
export function quotaLines(
  windows: readonly (readonly [title: string, quota: Quota])[],
  { now, width }: { now: number; width: number },
  paint: Paint,
): string[] {
  const told = windows.map(([title, quota]) => ({ title, quota, words: inWords(quota, now) }))
  const longest = Math.max(...told.map(({ words }) => words.length))
  const space = Math.min(longestBar, width - titleWidth - longest - 2)
  return told.flatMap(({ title, quota, words }) =>
    space < shortestBar
      ? [`${title}: ${words}`, bar(quota, Math.min(longestBar, width), paint)]
      : [`${title.padEnd(titleWidth)}${bar(quota, space, paint)}  ${words}`],
  )
}

function inWords({ limit, used, resetAt }: Quota, now: number): string {
  const wait = Math.max(1, Math.ceil((Date.parse(resetAt) - now) / 1000)) * 1000
  return `${used.toLocaleString('en')} of ${limit.toLocaleString('en')} used, starts again in ${humanDuration(wait)}`
}

function bar({ used, limit }: Quota, width: number, paint: Paint): string {
  const share = used / limit
  const length = Math.min(width, Math.max(used > 0 ? 1 : 0, Math.floor(share * width)))
  const filled = '━'.repeat(length)
  const painted = share < nearlyUsed ? filled : paint(share < 1 ? 'yellow' : 'red', filled)
  return painted + '┄'.repeat(width - length)
}
