import { domainStates } from '@masthead/contract/domains/states.ts'
import type { Domain } from '@masthead/contract/schemas/domain.ts'

type Look = 'primary' | 'plain'

export interface OfferedActions {
  verify: Look | null
  reverify: Look | null
  /** A text for whoever runs the DNS. */
  instructions: boolean
  any: boolean
}

/**
 * What is offered of what the state permits, and which of it stands out: the one thing that helps now. In the list a
 * domain that works is a quiet line; its page has everything.
 */
export function offeredActions(domain: Domain, { page }: { page: boolean }): OfferedActions {
  const { state, certificate, advice } = domain
  const permits: readonly string[] = domainStates[state].permits
  const isRight = isDnsCorrect(domain)
  const isTroubled = certificate.lastError !== null || advice === 'reverify'
  const wanted = {
    verify: isRight ? (page ? 'plain' : null) : 'primary',
    reverify: isRight && (isTroubled || page) ? (isTroubled ? 'primary' : 'plain') : null,
  } as const
  const verify = permits.includes('verify') ? wanted.verify : null
  const reverify = permits.includes('reverify') ? wanted.reverify : null
  const instructions = !isRight && state !== 'suspended'
  return { verify, reverify, instructions, any: verify !== null || reverify !== null || instructions }
}

/** Whether there is nothing left to do in DNS, by the state or by the last look. */
export function isDnsCorrect({ state, lastCheck }: Pick<Domain, 'state' | 'lastCheck'>): boolean {
  return state === 'verified' || state === 'live' || lastCheck?.outcome === 'right'
}
