import type { Count } from './history.ts'
import { type Limits, peopleLimits, personLimits } from './policy.ts'
import type { Ban, Verdict, WindowView } from './verdict.ts'

export interface LimitedRequest {
  accountId: string
  keyId: string
  limits: Limits
}

/** A request of a signed-in person. It counts for the account, or for the person if they are in none. */
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

/**
 * Requests are counted in this process, or in a Redis shared by several. While Redis is down, each process allows its
 * share of the limits.
 */
export type Counting = { by: 'process' } | { by: 'redis'; up: boolean; nodes: number }

/**
 * Decides about every request before anything else happens. It never throws: if the shared store is down, the limiter
 * continues with what it knows.
 */
export interface Limiter {
  /** A request with a valid key. If admitted, it counts against the account's windows. */
  check(request: LimitedRequest): Verdict | Promise<Verdict>
  /** A request without a key, or with a wrong one. */
  checkAddress(address: string): Verdict | Promise<Verdict>
  /** The remaining requests of an address, without counting one. */
  peekAddress(address: string): Verdict | Promise<Verdict>
  /** Counts against the person's windows and those shared by all members of the account, or against neither. */
  checkPerson(request: PersonRequest): Verdict | Promise<Verdict>
  checkOperator(): Verdict | Promise<Verdict>
  usage(accountId: string, limits: Limits): Promise<AccountUsage>
  /** Admitted requests today (UTC) by key, without keys that have none. */
  requestsOfKeys(keyIds: readonly string[]): Promise<Map<string, number>>
  bans(accountId: string, keyIds: readonly string[]): Promise<Map<string, Ban>>
  /** Ends a ban and resets its step. Returns whether the key was banned. */
  liftBan(accountId: string, keyId: string): Promise<boolean>
  counting(): Counting
  /** Adds what another process, which has ended since, counted and banned. */
  reload(): Promise<void>
  /** Writes counts and bans to the database now, which otherwise happens once a second. */
  flush(): Promise<void>
  /** Resolves once everything is written. */
  close(): Promise<void>
}

/** The name that a caller other than an account is counted under. Accounts are counted under their id. */
export interface Caller {
  name: string
  limits: Limits
}

/** The windows that a person's request counts in. Sessions do not matter: anyone can open many. */
export function dashboardCallers({ personId, account }: PersonRequest): readonly Caller[] {
  const person = { name: `person:${personId}`, limits: personLimits }
  if (account === null) return [person]
  return [person, { name: `people:${account.id}`, limits: peopleLimits(account.limits) }]
}
