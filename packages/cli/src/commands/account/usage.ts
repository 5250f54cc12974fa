import type { Usage } from '@masthead/contract/schemas/usage.ts'
import { formatBytes } from '@masthead/contract/text/byte-size.ts'
import { command } from '../../arguments/command.ts'
import { chartWidth, drawChart } from '../../terminal/chart.ts'
import { formatCount, formatDuration } from '../../terminal/format.ts'
import { bar } from '../../terminal/layout.ts'
import type { Paint } from '../../terminal/output.ts'

type Quota = Usage['minute']

const titleWidth = 'This minute  '.length
const longestBar = 24
/** If there is less space, the bar goes to its own line. */
const shortestBar = 8
/** From this share on the bar is yellow. */
const nearlyUsed = 0.8

export interface QuotaLine {
  title: string
  quota: Pick<Quota, 'limit' | 'used'>
  words: string
}

function windowLine(title: string, quota: Quota, now: number): QuotaLine {
  const { limit, used, resetAt } = quota
  const wait = Math.max(1, Math.ceil((Date.parse(resetAt) - now) / 1000)) * 1000
  const figures = `${used.toLocaleString('en')} of ${limit.toLocaleString('en')} used`
  return { title, quota, words: `${figures}, resets in ${formatDuration(wait)}` }
}

function storageLine(quota: Usage['storage']): QuotaLine {
  return { title: 'Storage', quota, words: `${formatBytes(quota.used)} of ${formatBytes(quota.limit)} used` }
}

/** A bar and a text per limit, side by side if they fit. */
function quotaLines(lines: readonly QuotaLine[], width: number, paint: Paint): string[] {
  const longest = Math.max(...lines.map(({ words }) => words.length))
  const space = Math.min(longestBar, width - titleWidth - longest - 2)
  return lines.flatMap(({ title, quota, words }) =>
    space < shortestBar
      ? [`${title}: ${words}`, quotaBar(quota, Math.min(longestBar, width), paint)]
      : [`${title.padEnd(titleWidth)}${quotaBar(quota, space, paint)}  ${words}`],
  )
}

function quotaBar({ used, limit }: QuotaLine['quota'], width: number, paint: Paint): string {
  const share = used / limit
  const length = Math.min(width, Math.max(used > 0 ? 1 : 0, Math.floor(share * width)))
  return bar(length, width, (filled) =>
    share < nearlyUsed ? filled : paint(share < 1 ? 'yellow' : 'red', filled),
  )
}

/** The usage of an account, for a terminal of `width` columns. */
export function drawUsage(usage: Usage, place: { now: number; width: number }, paint: Paint): string {
  const { minute, day, storage, bans } = usage
  const lines = [
    windowLine('This minute', minute, place.now),
    windowLine('Today', day, place.now),
    storageLine(storage),
  ]
  return [
    quotaLines(lines, place.width, paint).join('\n'),
    ...history(usage, place.width, paint),
    ...bans.map((ban) => banLine(ban, place.now, paint)),
  ].join('\n\n')
}

function history({ minute, day, history: { minutes, days } }: Usage, width: number, paint: Paint): string[] {
  // This request counts too.
  if (total(days) <= 1) {
    return [
      'No requests before this one. Requests of all keys of the account are shown here,\n' +
        'by minute and by day. Try: masthead deploy ./some-folder',
    ]
  }
  const gutter = Math.max(...[minute, day].map(({ limit }) => limit.toLocaleString('en').length))
  const space = { gutter, width: chartWidth(width - gutter - 1) }
  const chart = (counts: typeof days, limit: number, from: string, to: string) =>
    drawChart({ counts: counts.map(({ requests }) => requests), limit, from, to, ...space }, paint)
  const twoHours =
    total(minutes) <= 1 ? ['Only this request.'] : chart(minutes, minute.limit, '2 h ago', 'now')
  return [
    [heading('Last two hours', 'minute', minutes, paint), ...twoHours].join('\n'),
    [
      heading('Last 30 days', 'day', days, paint),
      ...chart(days, day.limit, days[0]?.start.slice(0, 10) ?? '', 'today'),
    ].join('\n'),
  ]
}

function heading(title: string, unit: string, counts: Usage['history']['days'], paint: Paint): string {
  const most = Math.max(...counts.map(({ requests }) => requests))
  return `${paint('bold', title)}  ${paint('dim', `the busiest ${unit} had ${formatCount(most, 'request')}`)}`
}

function banLine({ keyName, until, violations }: Usage['bans'][number], now: number, paint: Paint): string {
  const left = formatDuration(Math.max(1000, Math.ceil((Date.parse(until) - now) / 1000) * 1000))
  const times = violations === 1 ? 'once' : `${violations.toLocaleString('en')} times`
  const what = `The key ${keyName} is banned for another ${left}: it ignored the limit ${times}.`
  return `${paint('red', what)}\nStop whatever uses it until then, and make it wait as long as Retry-After says.`
}

const total = (counts: Usage['history']['days']) => counts.reduce((sum, { requests }) => sum + requests, 0)

export const usage = command({
  name: 'usage',
  summary: 'Show request and storage usage, limits and banned keys',
  usage: ['usage'],
  about: ['All keys of the account share the same limits. This command counts as one request.'],
  options: {},
  examples: [
    ['masthead usage', 'this minute, today, the last two hours and the last 30 days'],
    ['masthead usage --json', 'the same figures as JSON'],
  ],
  words: 0,
  async run(context) {
    const { out, signal } = context
    const client = await context.signedIn()
    const used = await client.getUsage({ signal })
    const place = { now: Date.now(), width: out.width }
    const text = drawUsage(used, place, (style, part) => out.style(style, part))
    return { document: used, text }
  },
})
