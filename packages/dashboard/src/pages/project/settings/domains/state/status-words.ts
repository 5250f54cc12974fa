import { certificateTroubleOf, certificateTroubles } from '@masthead/contract/domains/certificate-trouble.ts'
import { domainStates } from '@masthead/contract/domains/states.ts'
import type { Domain } from '@masthead/contract/schemas/domains/domain.ts'

interface StatusWords {
  tone: 'live' | 'waiting' | 'stopped' | 'idle'
  title: string
}

const tones = {
  pending: 'waiting',
  prepared: 'waiting',
  verified: 'waiting',
  live: 'live',
  drifted: 'waiting',
  failed: 'stopped',
  suspended: 'idle',
} as const satisfies Record<Domain['state'], StatusWords['tone']>

const problemTones = { refused: 'stopped', delayed: 'waiting' } as const

/** The state, or the problem with the certificate if there is one. */
export function statusWords(domain: Pick<Domain, 'state' | 'certificate' | 'lastCheck'>): StatusWords {
  const problem = certificateTroubleOf(domain)
  if (problem !== null) return { tone: problemTones[problem], title: certificateTroubles[problem].title }
  const { state } = domain
  return { tone: tones[state], title: domainStates[state].title }
}

const urgency: readonly StatusWords['tone'][] = ['stopped', 'waiting', 'idle', 'live']

/** Domains that need attention first; the sort is stable. */
export function sortByUrgency(domains: readonly Domain[]): Domain[] {
  const urgencyOf = (domain: Domain) => urgency.indexOf(statusWords(domain).tone)
  return domains.toSorted((one, other) => urgencyOf(one) - urgencyOf(other))
}

/** Whether the domain is stuck until someone acts. */
export function needsAttention(domain: Domain): boolean {
  return statusWords(domain).tone === 'stopped' || domain.state === 'drifted'
}

/** The most domains to show before folding. */
const maxUnfolded = 10

interface FoldedDomains {
  shown: Domain[]
  live: Domain[]
  /** Waiting or suspended. */
  others: Domain[]
}

/** Folds a long list. What needs attention stays visible, and so does the domain that was just added. */
export function foldDomains(domains: readonly Domain[], newest: string | null): FoldedDomains {
  const sorted = sortByUrgency(domains)
  if (sorted.length <= maxUnfolded) return { shown: sorted, live: [], others: [] }
  const isKept = (domain: Domain) => needsAttention(domain) || domain.hostname === newest
  let room = Math.max(0, maxUnfolded - sorted.filter(isKept).length)
  const shown = sorted.filter((domain) => isKept(domain) || room-- > 0)
  const rest = sorted.filter((domain) => !shown.includes(domain))
  const isLive = (domain: Domain) => statusWords(domain).tone === 'live'
  return { shown, live: rest.filter(isLive), others: rest.filter((domain) => !isLive(domain)) }
}
