import type { Domain } from '@masthead/contract/schemas/domain.ts'

/** How a domain of the project is written for people; what is not one is left as it is. */
export type ShownName = (hostname: string) => string

export function shownNames(domains: readonly Pick<Domain, 'hostname' | 'unicode'>[]): ShownName {
  const names = new Map(domains.map(({ hostname, unicode }) => [hostname, unicode]))
  return (hostname) => names.get(hostname) ?? hostname
}
