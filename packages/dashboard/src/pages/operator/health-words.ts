import { type DomainState, domainStateNames, domainStates } from '@masthead/contract/domains/states.ts'
import type { Health, HealthCheck } from '@masthead/contract/schemas/operator.ts'

export const checkTitles: Record<HealthCheck['name'], string> = {
  database: 'Database',
  limiter: 'Rate limits',
  blobs: 'File storage',
  domains: 'Domain checks',
  certificates: 'Certificate renewals',
  dns: 'DNS',
}

export const databaseTitles: Record<Health['dialect'], string> = {
  sqlite: 'SQLite, in the data folder',
  postgres: 'PostgreSQL',
}

export function verdict(checks: readonly HealthCheck[]): string {
  const failing = checks.filter(({ ok }) => !ok).length
  if (failing === 0) return 'Everything is healthy.'
  return failing === 1 ? '1 check needs attention.' : `${failing} checks need attention.`
}

/** "3 waiting for DNS, 12 live": only states with domains, in lifecycle order. */
export function domainWords(counts: Partial<Record<DomainState, number>>): string {
  return domainStateNames
    .filter((state) => (counts[state] ?? 0) > 0)
    .map((state) => `${(counts[state] ?? 0).toLocaleString('en')} ${lowerFirst(domainStates[state].title)}`)
    .join(', ')
}

export function domainTotal(counts: Partial<Record<DomainState, number>>): number {
  return domainStateNames.reduce((sum, state) => sum + (counts[state] ?? 0), 0)
}

function lowerFirst(title: string): string {
  return title.charAt(0).toLowerCase() + title.slice(1)
}
