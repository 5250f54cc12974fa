import { type PlanName, plans } from '@masthead/contract/plans.ts'
import type { CustomLimits } from '@masthead/contract/schemas/account.ts'

const bytesPerGigabyte = 1e9

/** What was typed into the fields; no number of domains is any number, no storage is that of the largest plan. */
export function agreedLimits(values: Record<string, string>): CustomLimits {
  const { perMinute, perDay, domainsPerProject = '', storage = '' } = values
  return {
    perMinute: Number(perMinute),
    perDay: Number(perDay),
    ...(domainsPerProject === '' ? {} : { domainsPerProject: Number(domainsPerProject) }),
    ...(storage === '' ? {} : { storageBytes: Math.round(Number(storage) * bytesPerGigabyte) }),
  }
}

export function gigabytes(bytes: number): number {
  return bytes / bytesPerGigabyte
}

/** What a plan gives, in a line. */
export function planSummary(name: PlanName): string {
  const { requestsPerMinute, requestsPerDay, customDomains } = plans[name]
  if (requestsPerMinute === null || requestsPerDay === null) return 'Requests and domains as agreed.'
  const domains = customDomains === 0 ? 'no domains' : domainsWords(customDomains)
  const [minute, day] = [requestsPerMinute, requestsPerDay].map((limit) => limit.toLocaleString('en'))
  return `${minute} requests a minute, ${day} a day, ${domains} of their own.`
}

/** How many domains a project may have. */
export function domainsWords(most: number | null): string {
  if (most === null) return 'any number of domains'
  return most === 1 ? 'one domain a project' : `${most.toLocaleString('en')} domains a project`
}

/** Whether domains that are served now would stop with the plan. */
export function wouldSuspend(domains: number, from: PlanName, to: PlanName): boolean {
  return domains > 0 && plans[from].customDomains !== 0 && plans[to].customDomains === 0
}
