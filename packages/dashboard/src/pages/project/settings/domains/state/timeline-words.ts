import type { TimelineEntry } from '@masthead/contract/schemas/domains/domain.ts'
import { findingTitle, sortFindings } from './check-words.ts'
import { midSentence, type Phrase } from './state-words.ts'

export type TimelineTone = 'live' | 'waiting' | 'stopped' | 'idle'

const tones: Partial<Record<TimelineEntry['kind'], TimelineTone>> = {
  verified: 'live',
  recovered: 'live',
  live: 'live',
  certificate_issued: 'live',
  certificate_renewed: 'live',
  own_certificate_installed: 'live',
  certificate_expiring: 'waiting',
  unverified: 'waiting',
  drifted: 'waiting',
  certificate_problem: 'waiting',
  probe_failed: 'waiting',
  failed: 'stopped',
  lost: 'stopped',
  certificate_refused: 'stopped',
  certificate_expired: 'stopped',
}

/** Colour only for changes for better or worse. */
export function timelineTone({ kind }: Pick<TimelineEntry, 'kind'>): TimelineTone {
  return tones[kind] ?? 'idle'
}

/** Details beyond the entry's message, if it has any. */
export function timelineDetail({
  kind,
  check,
  data,
}: Pick<TimelineEntry, 'kind' | 'check' | 'data'>): string | null {
  if (check !== null) {
    if (check.outcome === 'right') return 'DNS is correct.'
    const [first] = sortFindings(check.findings)
    return first === undefined ? null : findingTitle(first)
  }
  // The data differs by kind; a sentence for people is always under one of these keys.
  if ('was' in data && 'is' in data)
    return `Changed from ${targetWords(kind, data.was)} to ${targetWords(kind, data.is)}.`
  const authority = text(data.authority) ?? text(data.issuer)
  const said =
    text(data.message) ?? text(data.why) ?? (authority === null ? null : `By ${midSentence(authority)}.`)
  const sentences = [said, passedOverWords(data.passedOver)].filter((sentence) => sentence !== null)
  return sentences.length === 0 ? null : sentences.join(' ')
}

/** The certificate authorities that could not issue, with their reasons. */
function passedOverWords(value: unknown): string | null {
  const list: unknown[] = Array.isArray(value) ? value : []
  const names = list.flatMap((each) => {
    const { authority, message } = Object(each)
    const why = text(message)?.replace(/\.$/, '')
    return text(authority) === null ? [] : [why === undefined ? authority : `${authority} (${why})`]
  })
  return names.length === 0 ? null : `Passed over: ${names.join(', ')}.`
}

/** `14 times, last 2 minutes ago, first 3 hours ago by Ada` */
export function timelineWhen({ at, lastAt, times, by }: TimelineEntry): Phrase[] {
  const who = by.kind === 'system' ? ' automatically' : ` by ${by.name}`
  if (times === 1) return [{ ago: at }, who]
  return [`${times} times, last `, { ago: lastAt }, ', first ', { ago: at }, who]
}

/** A hostname, a branch or the target of a redirect; null if there is none. */
function targetWords(kind: TimelineEntry['kind'], value: unknown): string {
  const isRedirect = typeof value === 'object' && value !== null && 'to' in value && 'status' in value
  return isRedirect
    ? `${text(value.to)} (${value.status})`
    : (text(value) ?? (kind === 'branch_changed' ? 'what is live' : 'none'))
}

function text(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null
}

/** The fragment of the timeline on the page of a domain. */
export const timelineHash = '#timeline'
