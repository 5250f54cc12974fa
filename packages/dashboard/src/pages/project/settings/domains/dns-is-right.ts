import type { Domain } from '@masthead/contract/schemas/domain.ts'

/** Whether there is nothing left to do in DNS, by the state or by the last look. */
export function dnsIsRight({ state, lastCheck }: Pick<Domain, 'state' | 'lastCheck'>): boolean {
  return state === 'verified' || state === 'live' || lastCheck?.outcome === 'right'
}
