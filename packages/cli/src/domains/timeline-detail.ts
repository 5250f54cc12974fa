import type { TimelineEntry } from '@masthead/contract/schemas/domain.ts'
import { clockTime } from '../human-time.ts'
import { printable } from '../printable.ts'

type Data = TimelineEntry['data']

/** What an entry knows beyond its kind: why, from where, at which address, with which certificate; or nothing. */
export function timelineDetail({ kind, data }: Pick<TimelineEntry, 'kind' | 'data'>, now: number): string {
  switch (kind) {
    case 'moved':
      return phrases(['from', data.from], ['to', data.to])
    case 'live':
    case 'probed': {
      const { address, serial } = recordOf(data.evidence)
      return phrases(['at', address], ['serial', serial])
    }
    case 'certificate_ordered':
      return phrases(['from', data.authority])
    case 'certificate_issued':
    case 'certificate_renewed':
      return phrases(['from', data.authority], ['serial', data.serial], ['until', when(data.notAfter, now)])
    case 'certificate_problem':
      return phrases(['', data.message], ['next attempt', when(data.nextAttemptAt, now)])
    case 'primary_changed':
      return phrases(['was', data.was], ['is', data.is])
    case 'redirect_changed':
      return phrases(['was', whereTo(data.was)], ['is', whereTo(data.is)])
    default:
      return phrases(['', data.message ?? data.why])
  }
}

/** Joins what is there: "from acme, to other". The server's words are a stranger's, and may be of another version. */
function phrases(...parts: [label: string, value: unknown][]): string {
  return parts
    .filter(([, value]) => typeof value === 'string' && value !== '')
    .map(([label, value]) => `${label} ${printable(String(value).replace(/\.$/, ''))}`.trim())
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

function recordOf(value: unknown): Data {
  return typeof value === 'object' && value !== null ? { ...value } : {}
}
