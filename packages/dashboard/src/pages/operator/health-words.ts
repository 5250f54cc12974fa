import { type DomainState, domainStateNames, domainStates } from '@masthead/contract/domains/states.ts'
import type { Health, HealthCheck } from '@masthead/contract/schemas/operator.ts'

export const checkTitles: Record<HealthCheck['name'], string> = {
  database: 'Database',
  limiter: 'Rate limits',
  blobs: 'Files',
  domains: 'Checks of domains',
  certificates: 'Renewals of certificates',
  dns: 'DNS',
}

export const databaseTitles: Record<Health['dialect'], string> = {
  sqlite: 'SQLite, in the data folder',
  postgres: 'PostgreSQL',
}

/** Whether anything needs a look, in a sentence. */
export function verdict(checks: readonly HealthCheck[]): string {
  const failing = checks.filter(({ ok }) => !ok).length
  if (failing === 0) return 'Every part of the server does its work.'
  return failing === 1
    ? 'One part of the server needs a look.'
    : `${failing} parts of the server need a look.`
}

/** "3 waiting for DNS, 12 live": only the states that there are, in the order of a domain's life. */
export function domainWords(counts: Partial<Record<DomainState, number>>): string {
  return domainStateNames
    .filter((state) => (counts[state] ?? 0) > 0)
    .map((state) => `${(counts[state] ?? 0).toLocaleString('en')} ${inSentence(domainStates[state].title)}`)
    .join(', ')
}

export function domainTotal(counts: Partial<Record<DomainState, number>>): number {
  return domainStateNames.reduce((sum, state) => sum + (counts[state] ?? 0), 0)
}

/** A title within a sentence begins small. */
function inSentence(title: string): string {
  return title.charAt(0).toLowerCase() + title.slice(1)
}
