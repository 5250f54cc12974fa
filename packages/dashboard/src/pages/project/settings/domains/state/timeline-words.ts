import type { TimelineEntry } from '@masthead/contract/schemas/domain.ts'
import { findingTitle, sortFindings } from './check-words.ts'
import { midSentence, type Phrase } from './state-words.ts'

export type TimelineTone = 'live' | 'waiting' | 'stopped' | 'idle'

const tones: Partial<Record<TimelineEntry['kind'], TimelineTone>> = {
  verified: 'live',
  recovered: 'live',
  live: 'live',
  certificate_issued: 'live',
  certificate_renewed: 'live',
  unverified: 'waiting',
  drifted: 'waiting',
  certificate_problem: 'waiting',
  probe_failed: 'waiting',
  failed: 'stopped',
  lost: 'stopped',
  certificate_refused: 'stopped',
  certificate_expired: 'stopped',
}

/** Colour only where something got better or worse. */
export function timelineTone({ kind }: Pick<TimelineEntry, 'kind'>): TimelineTone {
  return tones[kind] ?? 'idle'
}

/** What came of it, where the entry itself knows more than its kind. */
export function timelineDetail({ check, data }: Pick<TimelineEntry, 'check' | 'data'>): string | null {
  if (check !== null) {
    if (check.outcome === 'right') return 'DNS is right.'
    const [first] = sortFindings(check.findings)
    return first === undefined ? null : findingTitle(first)
  }
  // What a server writes here differs by kind; a sentence for people is always under one of these.
  if ('was' in data && 'is' in data) return `Was ${leadsTo(data.was)}, is ${leadsTo(data.is)}.`
  const authority = text(data.authority)
  return text(data.message) ?? text(data.why) ?? (authority === null ? null : `By ${midSentence(authority)}.`)
}

/** How often, when and by whom: `14 times, last 2 minutes ago, first 3 hours ago by Ada`. */
export function timelineWhen({ at, lastAt, times, by }: TimelineEntry): Phrase[] {
  const who = by.kind === 'system' ? ' by itself' : ` by ${by.name}`
  if (times === 1) return [{ ago: at }, who]
  return [`${times} times, last `, { ago: lastAt }, ', first ', { ago: at }, who]
}

/** A name, or where a redirect leads; null: it redirects no longer, or did not yet. */
function leadsTo(value: unknown): string {
  const isRedirect = typeof value === 'object' && value !== null && 'to' in value && 'status' in value
  return isRedirect ? `${text(value.to)} (${value.status})` : (text(value) ?? 'nowhere')
}

function text(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null
}

/** Leads to the timeline on the page of a domain. */
export const timelineHash = '#timeline'
