import type { Count } from './history.ts'
import { type Limits, peopleLimits, personLimits } from './policy.ts'
import type { Ban, Verdict, WindowView } from './verdict.ts'

export interface LimitedRequest {
  accountId: string
  keyId: string
  limits: Limits
}

/** A request of a signed-in person, for an account or, where they belong to none, for themselves. */
export interface PersonRequest {
  personId: string
  account: { id: string; limits: Limits } | null
}

export interface AccountUsage {
  minute: WindowView
  day: WindowView | null
  /** Every minute of the last two hours and every day of the last thirty, oldest first. */
  history: { minutes: Count[]; days: Count[] }
}

/** By this process alone, or by the Redis that several share; while that is away, each has its share of the limits. */
export type Counting = { by: 'process' } | { by: 'redis'; up: boolean; nodes: number }

/**
 * Decides over every request before anything else is done for it. A decision is never an error: where the shared
 * store is away, the limiter goes on with what it knows.
 */
export interface Limiter {
  /** A request with a key that was found to be right. It costs one, of the account's windows, if it is admitted. */
  check(request: LimitedRequest): Verdict | Promise<Verdict>
  /** A request without a key, or with a wrong one. */
  checkAddress(address: string): Verdict | Promise<Verdict>
  /** What an address has left, for an answer to a request that is charged to nobody. */
  peekAddress(address: string): Verdict | Promise<Verdict>
  /** Costs one of the person's windows and one of those that the people of the account share, or neither. */
  checkPerson(request: PersonRequest): Verdict | Promise<Verdict>
  checkOperator(): Verdict | Promise<Verdict>
  usage(accountId: string, limits: Limits): Promise<AccountUsage>
  /** Admitted requests of this UTC day, by key; those that sent none are left out. */
  requestsOfKeys(keyIds: readonly string[]): Promise<Map<string, number>>
  /** Those of the account's keys that are banned now. */
  bans(accountId: string, keyIds: readonly string[]): Promise<Map<string, Ban>>
  /** Ends a ban and forgets what led to it, the steps included. Tells whether the key was banned. */
  liftBan(accountId: string, keyId: string): Promise<boolean>
  counting(): Counting
  /** Writes the counts and bans of this process to the database, as is done once a second anyway. */
  flush(): Promise<void>
  /** Resolves when everything that has to last is written. */
  close(): Promise<void>
}

/** Under what a caller is counted, apart from accounts, which are counted under their id. */
export interface Caller {
  name: string
  limits: Limits
}

/** Whose windows a request of a signed-in person counts in. Sessions are no part of it: anybody can open many. */
export function dashboardCallers({ personId, account }: PersonRequest): readonly Caller[] {
  const person = { name: `person:${personId}`, limits: personLimits }
  if (account === null) return [person]
  return [person, { name: `people:${account.id}`, limits: peopleLimits(account.limits) }]
}
