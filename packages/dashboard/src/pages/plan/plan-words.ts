import { ProblemError } from '@masthead/client/errors.ts'
import { isCustomPlan, type PlanName, planNames, plans } from '@masthead/contract/plans.ts'
import type { Account } from '@masthead/contract/schemas/account.ts'

export interface PlanFigure {
  value: string
  unit: string
}

/** What a plan gives, as figures with what they count. `limits` are those agreed for an account that is on it. */
export function planFigures(name: PlanName, limits?: Account['limits']): PlanFigure[] {
  const { requestsPerMinute, requestsPerDay, customDomains, storageBytes } = plans[name]
  const domains = limits === undefined ? figure(customDomains) : agreedFigure(limits.domainsPerProject)
  return [
    { value: domains, unit: 'domains a project' },
    { value: figure(requestsPerMinute ?? limits?.perMinute), unit: 'requests a minute' },
    { value: figure(requestsPerDay ?? limits?.perDay), unit: 'requests a day' },
    { value: inGigabytes(storageBytes ?? limits?.storageBytes), unit: 'storage' },
  ]
}

/** The next plan up that somebody can choose by themselves; null at the top. */
export function nextPlan(name: PlanName): PlanName | null {
  const above = planNames.slice(planNames.indexOf(name) + 1)
  return above.find((each) => !isCustomPlan(each)) ?? null
}

/** The first plan that comes with domains of one's own. */
export function planWithDomains(): PlanName {
  return planNames.find((name) => plans[name].customDomains !== 0) ?? planNames[0]
}

function agreedFigure(value: number | null): string {
  return value === null ? 'Any number' : figure(value)
}

function figure(value: number | null | undefined): string {
  if (value === 0) return 'No'
  return value?.toLocaleString('en') ?? 'As agreed'
}

function inGigabytes(bytes: number | undefined): string {
  return bytes === undefined ? 'As agreed' : `${(bytes / 1e9).toLocaleString('en')} GB`
}

/** The domains that a change of plan would suspend, as its refusal names them; null for any other outcome. */
export function suspendedNames(error: unknown): string[] | null {
  if (!(error instanceof ProblemError) || error.code !== 'domains_would_suspend') return null
  const { domains } = error.document
  return Array.isArray(domains) ? domains.filter((name) => typeof name === 'string') : []
}
