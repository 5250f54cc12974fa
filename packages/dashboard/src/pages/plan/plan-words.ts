import { ProblemError } from '@masthead/client/errors.ts'
import { isCustomPlan, type PlanName, planNames, plans } from '@masthead/contract/plans.ts'
import type { Account } from '@masthead/contract/schemas/account.ts'
import { formatBytes } from '@masthead/contract/text/byte-size.ts'

export interface PlanFigure {
  value: string
  unit: string
}

/** `limits` are those of an account on this plan, which may be custom. */
export function planFigures(name: PlanName, limits?: Account['limits']): PlanFigure[] {
  const { requestsPerMinute, requestsPerDay, customDomains, storageBytes, wildcards } = plans[name]
  const domains = limits === undefined ? figure(customDomains) : domainsFigure(limits.domainsPerProject)
  return [
    { value: domains, unit: 'domains per project' },
    { value: figure(requestsPerMinute ?? limits?.perMinute), unit: 'requests per minute' },
    { value: figure(requestsPerDay ?? limits?.perDay), unit: 'requests per day' },
    { value: storageFigure(storageBytes ?? limits?.storageBytes), unit: 'storage' },
    { value: wildcards ? 'Yes' : 'No', unit: 'wildcard domains' },
  ]
}

/** The next plan up that is not custom; null at the top. */
export function nextPlan(name: PlanName): PlanName | null {
  const above = planNames.slice(planNames.indexOf(name) + 1)
  return above.find((each) => !isCustomPlan(each)) ?? null
}

/** The cheapest plan with custom domains. */
export function planWithDomains(): PlanName {
  return planNames.find((name) => plans[name].customDomains !== 0) ?? planNames[0]
}

function domainsFigure(value: number | null): string {
  return value === null ? 'Unlimited' : figure(value)
}

function figure(value: number | null | undefined): string {
  if (value === 0) return 'No'
  return value?.toLocaleString('en') ?? 'Custom'
}

function storageFigure(bytes: number | undefined): string {
  return bytes === undefined ? 'Custom' : formatBytes(bytes).replace('.0 ', ' ')
}

/** The domains that a plan change would suspend, from the API's error; null for any other error. */
export function suspendedNames(error: unknown): string[] | null {
  if (!(error instanceof ProblemError) || error.code !== 'domains_would_suspend') return null
  const { domains } = error.document
  return Array.isArray(domains) ? domains.filter((name) => typeof name === 'string') : []
}
