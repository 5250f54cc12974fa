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

/** The state in a word; what became of the certificate where that is what one wants to know. */
export function statusWords({ state, certificate }: Pick<Domain, 'state' | 'certificate'>): StatusWords {
  const trouble = state === 'verified' || state === 'failed' ? certificate.lastError : null
  if (trouble !== null && certificate.status !== 'valid') {
    // What a person has to repair is a refusal; everything else is tried again by itself.
    const isRefused = trouble.add !== null || certificate.nextAttemptAt === null
    if (isRefused) return { tone: 'stopped', title: 'Certificate refused' }
    if (state === 'verified') return { tone: 'waiting', title: 'Certificate delayed' }
  }
  return { tone: tones[state], title: domainStates[state].title }
}
