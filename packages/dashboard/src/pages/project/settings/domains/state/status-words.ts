import { certificateTroubleOf, certificateTroubles } from '@masthead/contract/domains/certificate-trouble.ts'
import { domainStates } from '@masthead/contract/domains/states.ts'
import type { Domain } from '@masthead/contract/schemas/domain.ts'

interface StatusWords {
  tone: 'live' | 'waiting' | 'stopped' | 'idle'
  title: string
}

const tones = {
  pending: 'waiting',
  verified: 'waiting',
  live: 'live',
  drifted: 'waiting',
  failed: 'stopped',
  suspended: 'idle',
} as const satisfies Record<Domain['state'], StatusWords['tone']>

const troubleTones = { refused: 'stopped', delayed: 'waiting' } as const

/** The state in a word; what became of the certificate where that is what one wants to know. */
export function statusWords(domain: Pick<Domain, 'state' | 'certificate' | 'lastCheck'>): StatusWords {
  const trouble = certificateTroubleOf(domain)
  if (trouble !== null) return { tone: troubleTones[trouble], title: certificateTroubles[trouble].title }
  const { state } = domain
  return { tone: tones[state], title: domainStates[state].title }
}

const urgency: readonly StatusWords['tone'][] = ['stopped', 'waiting', 'idle', 'live']

/** What a person has to look at comes first; otherwise the order stays. */
export function sortByUrgency(domains: readonly Domain[]): Domain[] {
  const urgencyOf = (domain: Domain) => urgency.indexOf(statusWords(domain).tone)
  return domains.toSorted((one, other) => urgencyOf(one) - urgencyOf(other))
}

/** Whether nothing happens until somebody does something about it. */
export function needsAttention(domain: Domain): boolean {
  return statusWords(domain).tone === 'stopped' || domain.state === 'drifted'
}

/** A list this long is read from its top. */
const mostInFull = 10

/** Live domains fold where there are many; whatever else there is stays in sight. */
export function foldLive(domains: readonly Domain[]): { shown: Domain[]; folded: Domain[] } {
  const sorted = sortByUrgency(domains)
  if (sorted.length <= mostInFull) return { shown: sorted, folded: [] }
  const isLive = (domain: Domain) => statusWords(domain).tone === 'live'
  const others = sorted.filter((domain) => !isLive(domain))
  const live = sorted.filter(isLive)
  const room = Math.max(0, mostInFull - others.length)
  return { shown: [...others, ...live.slice(0, room)], folded: live.slice(room) }
}
