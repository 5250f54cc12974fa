import { type PlanName, plans } from '@masthead/contract/plans.ts'

/** What a plan gives, in a line. */
export function planSummary(name: PlanName): string {
  const { requestsPerMinute, requestsPerDay, customDomains } = plans[name]
  const domains =
    customDomains === 0
      ? 'no domains of their own'
      : `${customDomains === null ? 'domains' : `${customDomains} domains a project`} of their own`
  if (requestsPerMinute === null || requestsPerDay === null) return `Limits as agreed, ${domains}.`
  const [minute, day] = [requestsPerMinute, requestsPerDay].map((limit) => limit.toLocaleString('en'))
  return `${minute} requests a minute, ${day} a day, ${domains}.`
}

/** Whether domains that are served now would stop with the plan. */
export function wouldSuspend(domains: number, from: PlanName, to: PlanName): boolean {
  return domains > 0 && plans[from].customDomains !== 0 && plans[to].customDomains === 0
}
