import type { PersonRequest } from './limiter.ts'
import { type Limits, peopleLimits, personLimits } from './policy.ts'

/** Under what a caller is counted, apart from accounts, which are counted under their id. */
export interface Caller {
  name: string
  limits: Limits
}

/** Whose windows a request of a signed-in person counts in. Sessions are no part of it: anybody can open many. */
export function callersOf({ personId, account }: PersonRequest): readonly Caller[] {
  const person = { name: `person:${personId}`, limits: personLimits }
  if (account === null) return [person]
  return [person, { name: `people:${account.id}`, limits: peopleLimits(account.limits) }]
}
