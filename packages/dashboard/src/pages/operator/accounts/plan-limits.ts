import { type PlanName, plans } from '@masthead/contract/plans.ts'
import type { CustomLimits } from '@masthead/contract/schemas/account.ts'

const bytesPerGigabyte = 1e9

/** From the form. An empty number of domains means no limit, empty storage that of the largest plan. */
export function customLimits(values: Record<string, string>): CustomLimits {
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

export function planSummary(name: PlanName): string {
  const { requestsPerMinute, requestsPerDay, customDomains } = plans[name]
  if (requestsPerMinute === null || requestsPerDay === null) return 'Custom limits for requests and domains.'
  const domains = customDomains === 0 ? 'no custom domains' : domainsWords(customDomains)
  const [minute, day] = [requestsPerMinute, requestsPerDay].map((limit) => limit.toLocaleString('en'))
  const wildcards = plans[name].wildcards ? ', wildcards' : ''
  return `${minute} requests per minute, ${day} per day, ${domains}${wildcards}.`
}

export function domainsWords(most: number | null): string {
  if (most === null) return 'unlimited domains'
  return most === 1 ? '1 domain per project' : `${most.toLocaleString('en')} domains per project`
}

/** A plan with domains, but without wildcards, which the account may have. */
export function mayLoseWildcards(domains: number, from: PlanName, to: PlanName): boolean {
  return domains > 0 && plans[from].wildcards && !plans[to].wildcards && plans[to].customDomains !== 0
}

export function wouldSuspend(domains: number, from: PlanName, to: PlanName): boolean {
  return domains > 0 && plans[from].customDomains !== 0 && plans[to].customDomains === 0
}
