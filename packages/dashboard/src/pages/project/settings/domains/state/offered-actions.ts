import { certificateTroubleOf } from '@masthead/contract/domains/certificate-trouble.ts'
import { changesToSend } from '@masthead/contract/domains/record-formats/instructions.ts'
import { domainStates } from '@masthead/contract/domains/states.ts'
import type { Domain } from '@masthead/contract/schemas/domains/domain.ts'

type Look = 'primary' | 'plain'

export interface OfferedActions {
  verify: Look | null
  reverify: Look | null
  /** Instructions for the person who manages DNS. */
  instructions: boolean
  any: boolean
}

/**
 * The actions that the state permits, with the most useful one as primary. In the list, a working domain shows none;
 * its page shows all of them.
 */
export function offeredActions(domain: Domain, { page }: { page: boolean }): OfferedActions {
  const { state, certificate, advice } = domain
  const permits: readonly string[] = domainStates[state].permits
  const isCorrect = isDnsCorrect(domain)
  const hasFailed = certificate.lastError !== null || advice === 'reverify'
  const wanted = {
    verify: isCorrect ? (page ? 'plain' : null) : 'primary',
    reverify: isCorrect && (hasFailed || page) ? (hasFailed ? 'primary' : 'plain') : null,
  } as const
  const verify = permits.includes('verify') ? wanted.verify : null
  const reverify = permits.includes('reverify') ? wanted.reverify : null
  const isToChange =
    certificateTroubleOf(domain) === 'refused' &&
    changesToSend(domain).some(({ action }) => action !== 'keep')
  const instructions = (!isCorrect || isToChange) && state !== 'suspended'
  return { verify, reverify, instructions, any: verify !== null || reverify !== null || instructions }
}

/** By the state or by the last check. */
export function isDnsCorrect({ state, lastCheck }: Pick<Domain, 'state' | 'lastCheck'>): boolean {
  return state === 'verified' || state === 'live' || lastCheck?.outcome === 'right'
}
