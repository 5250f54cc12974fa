import { paginate } from '@masthead/client/paginate.ts'
import { findings } from '@masthead/contract/domains/findings.ts'
import type { DnsCheck } from '@masthead/contract/schemas/domains/dns-check.ts'
import type { TimelineEntry } from '@masthead/contract/schemas/domains/domain.ts'
import { clockTime } from '../terminal/format.ts'
import { alignColumns, sanitize } from '../terminal/layout.ts'
import { type DomainVerb, onDomain } from './verb.ts'

type Data = TimelineEntry['data']

/** Reason, origin, address or certificate of an entry; empty if there is none. */
function timelineDetail({ kind, data }: Pick<TimelineEntry, 'kind' | 'data'>, now: number): string {
  switch (kind) {
    case 'moved':
      return phrases(['from', data.from], ['to', data.to])
    case 'live':
    case 'probed': {
      const { address, serial } = recordOf(data.evidence)
      return phrases(['at', address], ['serial', serial])
    }
    case 'certificate_ordered':
      return phrases(['from', data.authority], ['passed over:', passedOver(data)])
    case 'certificate_issued':
    case 'certificate_renewed':
      return phrases(
        ['from', data.authority],
        ['serial', data.serial],
        ['until', when(data.notAfter, now)],
        ['passed over:', passedOver(data)],
      )
    case 'certificate_problem':
      return phrases(
        ['', data.message],
        ['next attempt', when(data.nextAttemptAt, now)],
        ['passed over:', passedOver(data)],
      )
    case 'certificate_uploaded':
    case 'own_certificate_installed':
    case 'certificate_expiring':
      return phrases(['from', data.issuer], ['serial', data.serial], ['until', when(data.notAfter, now)])
    case 'proxied':
      return phrases(['by', data.provider])
    case 'primary_changed':
      return phrases(['was', data.was], ['is', data.is])
    case 'branch_changed':
      return phrases(['was', shown(data.was)], ['is', shown(data.is)])
    case 'redirect_changed':
      return phrases(['was', whereTo(data.was)], ['is', whereTo(data.is)])
    default:
      return phrases(['', data.message ?? data.why])
  }
}

/** The certificate authorities that could not issue, with their reasons. */
function passedOver({ passedOver }: Data): string {
  const list = Array.isArray(passedOver) ? passedOver.map(recordOf) : []
  return list
    .map(({ authority, message }) => `${authority} (${String(message).replace(/\.$/, '')})`)
    .join(', ')
}

/** "from acme, to other", without missing values. The data is untrusted and may come from another version. */
function phrases(...parts: [label: string, value: unknown][]): string {
  return parts
    .filter(([, value]) => typeof value === 'string' && value !== '')
    .map(([label, value]) => `${label} ${sanitize(String(value).replace(/\.$/, ''))}`.trim())
    .join(', ')
}

function when(value: unknown, now: number): string | null {
  const isTime = typeof value === 'string' && !Number.isNaN(Date.parse(value))
  return isTime ? clockTime(value, now) : null
}

function whereTo(value: unknown): string {
  const { to, status } = recordOf(value)
  return typeof to === 'string' ? `${to} (${status})` : 'nowhere'
}

/** A branch; null is the live deployment. */
function shown(value: unknown): unknown {
  return value === null ? 'what is live' : value
}

function recordOf(value: unknown): Data {
  return typeof value === 'object' && value !== null ? { ...value } : {}
}

const pageSize = 100

export const timeline: DomainVerb = {
  takes: ['NAME'],
  options: ['all'],
  async run(context, words, values) {
    const { out, signal } = context
    const { client, params } = await onDomain(context, words, values)
    const listing = { params, query: { limit: pageSize }, signal }
    const entries: TimelineEntry[] = []
    for await (const entry of paginate(client.listTimeline, listing)) {
      if (entries.length === pageSize && !values.all) {
        out.note(`Showing the latest ${pageSize} entries. Use --all to see older ones.`)
        break
      }
      entries.push(entry)
    }
    const now = Date.now()
    const rows = entries.map((entry) => [
      out.style('dim', clockTime(entry.lastAt, now)),
      describeEntry(entry, now),
      out.style('dim', sanitize(entry.by.name)),
    ])
    return { document: entries, text: alignColumns(rows).join('\n') }
  },
}

/** "DNS was checked: The CNAME record is missing (12 times since 12:03)" */
export function describeEntry(entry: TimelineEntry, now: number): string {
  const { message, check, times, at } = entry
  const detail = check === null ? timelineDetail(entry, now) : describeCheck(check)
  const outcome = detail === '' ? '' : `: ${detail}`
  return `${sanitize(message)}${outcome}${times > 1 ? ` (${times} times since ${clockTime(at, now)})` : ''}`
}

function describeCheck(check: DnsCheck): string {
  const reasons = check.findings
    .filter(({ effect }) => effect !== 'tells')
    .map(({ code, message }) => (Object.hasOwn(findings, code) ? findings[code].title : sanitize(message)))
  return reasons.join('; ') || (check.ok ? 'right' : check.outcome)
}
