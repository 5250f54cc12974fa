import { type DomainState, domainStates } from '@masthead/contract/domain-states.ts'
import type { Addresses } from '../addresses.ts'

/** Where a domain is found. HTTPS is shown once there is a certificate for it. */
export function domainUrl(
  { hostname, state }: { hostname: string; state: DomainState },
  addresses: Pick<Addresses, 'plain' | 'host'>,
): string {
  return domainStates[state].served === 'http' ? addresses.plain(hostname) : addresses.host(hostname)
}
