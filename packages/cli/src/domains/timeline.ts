import { pages } from '@masthead/client/pages.ts'
import { findings } from '@masthead/contract/findings.ts'
import type { DnsCheck, TimelineEntry } from '@masthead/contract/schemas/domain.ts'
import { columns } from '../columns.ts'
import { clockTime } from '../human-time.ts'
import { printable } from '../printable.ts'
import { timelineDetail } from './timeline-detail.ts'
import { type DomainVerb, onDomain } from './verb.ts'

const onePage = 100

export const timeline: DomainVerb = {
  takes: ['NAME'],
  options: ['all'],
  async run(context, words, values) {
    const { out, signal } = context
    const { client, params } = await onDomain(context, words, values)
    const listing = { params, query: { limit: onePage }, signal }
    const entries: TimelineEntry[] = []
    for await (const entry of pages(client.listTimeline, listing)) {
      if (entries.length === onePage && !values.all) {
        out.note(`The newest ${onePage} entries. --all shows those before them as well.`)
        break
      }
      entries.push(entry)
    }
    const now = Date.now()
    const rows = entries.map((entry) => [
      out.style('dim', clockTime(entry.lastAt, now)),
      whatHappened(entry, now),
      out.style('dim', printable(entry.by.name)),
    ])
    return { document: entries, text: columns(rows).join('\n') }
  },
}

/** "DNS was checked: The CNAME record is missing (12 times since 12:03)" */
export function whatHappened(entry: TimelineEntry, now: number): string {
  const { message, check, times, at } = entry
  const detail = check === null ? timelineDetail(entry, now) : whatWasFound(check)
  const outcome = detail === '' ? '' : `: ${detail}`
  return `${printable(message)}${outcome}${times > 1 ? ` (${times} times since ${clockTime(at, now)})` : ''}`
}

function whatWasFound(check: DnsCheck): string {
  const reasons = check.findings
    .filter(({ effect }) => effect !== 'tells')
    .map(({ code, message }) => (Object.hasOwn(findings, code) ? findings[code].title : printable(message)))
  return reasons.join('; ') || (check.ok ? 'right' : check.outcome)
}
