import type { DomainKind } from './domains/states.ts'

/** What each plan includes. `null` means set per account. Limits, feature checks, dashboard and docs use this table. */
export interface Plan {
  title: string
  requestsPerMinute: number | null
  requestsPerDay: number | null
  /** Custom domains per project. */
  customDomains: number | null
  /** Whether a custom domain can be a wildcard, such as *.acme.com. */
  wildcards: boolean
  /** Whole domains an account can prove. */
  provedDomains: number
  /** Bytes of files an account may store. */
  storageBytes: number | null
}

const GB = 1_000_000_000

export const plans = {
  free: {
    title: 'Free',
    requestsPerMinute: 60,
    requestsPerDay: 1_000,
    customDomains: 0,
    wildcards: false,
    provedDomains: 0,
    storageBytes: GB,
  },
  pro: {
    title: 'Pro',
    requestsPerMinute: 300,
    requestsPerDay: 10_000,
    customDomains: 20,
    wildcards: false,
    provedDomains: 20,
    storageBytes: 25 * GB,
  },
  business: {
    title: 'Business',
    requestsPerMinute: 1_000,
    requestsPerDay: 100_000,
    customDomains: 100,
    wildcards: true,
    provedDomains: 100,
    storageBytes: 250 * GB,
  },
  enterprise: {
    title: 'Enterprise',
    requestsPerMinute: null,
    requestsPerDay: null,
    customDomains: null,
    wildcards: true,
    provedDomains: 1_000,
    storageBytes: null,
  },
} as const satisfies Record<string, Plan>

export type PlanName = keyof typeof plans
export const planNames = Object.keys(plans) as [PlanName, ...PlanName[]]

/** The least plan that a domain of this kind needs. */
export function planFor(kind: DomainKind): PlanName {
  return planNames.find((name) => includesDomain(name, kind)) ?? 'enterprise'
}

export function includesDomain(name: PlanName, kind: DomainKind): boolean {
  const plan: Plan = plans[name]
  return plan.customDomains !== 0 && (kind !== 'wildcard' || plan.wildcards)
}

/** Its limits are set per account, so only the operator can put an account on it. */
export function isCustomPlan(name: PlanName): boolean {
  return plans[name].requestsPerMinute === null
}
