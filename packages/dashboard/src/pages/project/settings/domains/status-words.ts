import { certificateTroubleOf, certificateTroubles } from '@masthead/contract/certificate-trouble.ts'
import { domainStates } from '@masthead/contract/domain-states.ts'
import type { Domain } from '@masthead/contract/schemas/domain.ts'

export interface StatusWords {
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
