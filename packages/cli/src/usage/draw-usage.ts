import type { Usage } from '@masthead/contract/schemas/usage.ts'
import { count } from '../human-size.ts'
import { humanDuration } from '../human-time.ts'
import { chartWidth, drawChart, type Paint } from './chart.ts'
import { quotaLines, storageLine, windowLine } from './quota-lines.ts'

/** What an account has used of its limits, for a terminal of `width` columns. */
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
  // The request that asked for this has been counted as well.
  if (total(days) <= 1) {
    return [
      'No requests before this one. Those of all keys of the account are drawn here,\n' +
        'by minute and by day. Make some: masthead deploy ./some-folder',
    ]
  }
  const gutter = Math.max(...[minute, day].map(({ limit }) => limit.toLocaleString('en').length))
  const space = { gutter, width: chartWidth(width - gutter - 1) }
  const chart = (counts: typeof days, limit: number, from: string, to: string) =>
    drawChart({ counts: counts.map(({ requests }) => requests), limit, from, to, ...space }, paint)
  const twoHours =
    total(minutes) <= 1 ? ['Nothing but this very request.'] : chart(minutes, minute.limit, '2 h ago', 'now')
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
  return `${paint('bold', title)}  ${paint('dim', `the busiest ${unit} had ${count(most, 'request')}`)}`
}

function banLine({ keyName, until, violations }: Usage['bans'][number], now: number, paint: Paint): string {
  const left = humanDuration(Math.max(1000, Math.ceil((Date.parse(until) - now) / 1000) * 1000))
  const times = violations === 1 ? 'once' : `${violations.toLocaleString('en')} times`
  const what = `The key ${keyName} is banned for ${left} more: it went on ${times} after being told to wait.`
  return `${paint('red', what)}\nStop what uses it until then, and let it wait as long as Retry-After says.`
}

const total = (counts: Usage['history']['days']) => counts.reduce((sum, { requests }) => sum + requests, 0)
