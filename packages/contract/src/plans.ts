/** What each plan includes. `null` means set per account. Limits, feature checks, dashboard and docs use this table. */
export interface Plan {
  title: string
  requestsPerMinute: number | null
  requestsPerDay: number | null
  /** Custom domains per project. */
  customDomains: number | null
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
    provedDomains: 0,
    storageBytes: GB,
  },
  pro: {
    title: 'Pro',
    requestsPerMinute: 300,
    requestsPerDay: 10_000,
    customDomains: 20,
    provedDomains: 20,
    storageBytes: 25 * GB,
  },
  business: {
    title: 'Business',
    requestsPerMinute: 1_000,
    requestsPerDay: 100_000,
    customDomains: 100,
    provedDomains: 100,
    storageBytes: 250 * GB,
  },
  enterprise: {
    title: 'Enterprise',
    requestsPerMinute: null,
    requestsPerDay: null,
    customDomains: null,
    provedDomains: 1_000,
    storageBytes: null,
  },
} as const satisfies Record<string, Plan>

export type PlanName = keyof typeof plans
export const planNames = Object.keys(plans) as [PlanName, ...PlanName[]]

/** Its limits are set per account, so only the operator can put an account on it. */
export function isCustomPlan(name: PlanName): boolean {
  return plans[name].requestsPerMinute === null
}
