import { type DomainState, domainStateNames, domainStates } from '@masthead/contract/domains/states.ts'
import type { DoctorResult, DoctorStatus, Health, HealthCheck } from '@masthead/contract/schemas/operator.ts'

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

export const doctorStatuses = {
  problem: { tone: 'stopped', word: 'Problem' },
  warning: { tone: 'waiting', word: 'Warning' },
  ok: { tone: 'live', word: 'Healthy' },
  skipped: { tone: 'idle', word: 'Not checked' },
} as const satisfies Record<DoctorStatus, { tone: string; word: string }>

const ranks = Object.keys(doctorStatuses)

export function worstFirst(results: readonly DoctorResult[]): DoctorResult[] {
  return results.toSorted((a, b) => ranks.indexOf(a.status) - ranks.indexOf(b.status))
}

/** Warnings are shown, but nobody has to act on them. */
export function verdict({ checks, doctor }: Pick<Health, 'checks' | 'doctor'>): string {
  const problems = doctor?.checks.filter(({ status }) => status === 'problem') ?? []
  const failing = checks.filter(({ ok }) => !ok).length + problems.length
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
