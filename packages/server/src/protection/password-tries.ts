import { protectionLimits } from '@masthead/contract/project-settings.ts'
import type { Context } from '../database/database.ts'
import { minute, second } from '../kernel/clock.ts'
import { FairQueue, QueueFullError } from '../kernel/fair-queue.ts'
import { Problem } from '../kernel/problem.ts'
import { callerOf, networkOf } from '../limits/caller-address.ts'
import { hashDummyPassword, passwordMatches } from '../people/password.ts'
import { type AttemptSubject, attemptsOf, countAttempt, forgetAttempts } from '../people/sign-in/attempts.ts'

export interface PasswordTry {
  projectId: string
  address: string
  /** From an earlier pass for this project; null if there is none. */
  visitor: string | null
  password: string
  /** The passwords that would be right, hashed. */
  hashes: readonly string[]
}

export type TryResult =
  | { kind: 'right'; hashes: string[] }
  | { kind: 'wrong' }
  | { kind: 'wait'; seconds: number }
  /** Too many others are being checked. It did not count. */
  | { kind: 'busy' }

/**
 * Two at once, and one per site: other work waits for the same threads, and a site under attack for itself only. Up to
 * 4,000 addresses wait for one site, each with one try.
 */
const checks = { size: 2, maxWaiting: 20_000 }

/** Each takes about 20 ms. The project's own, and those of one user in the site's files. */
const maxHashesPerTry = 1 + protectionLimits.passwordsPerUser

/** So many wrong passwords within an hour are no typing errors. */
const attackedAfter = 100
/** While a site is attacked from many addresses, each of them gets little. Others still get their first tries. */
const attackedBackoff = { freeAttempts: 2, maxWait: 60 * minute }

/** Addresses that have to wait are refused from memory. Past the bound the database says it again. */
const maxRefused = 10_000

/**
 * Checks passwords of sites. Tries are counted in the database, so all nodes count together: by address, by network, and
 * for the whole site. An address has to wait for its own wrong tries only, so somebody who knows the password gets in
 * however many others guess. A browser that was let in before is counted separately, whatever its network does.
 */
export class PasswordTries {
  readonly #context: Context
  readonly #checks = new FairQueue(checks)
  readonly #refused = new Map<string, number>()
  /** One at a time each, or simultaneous tries would all be the first. */
  readonly #running = new Set<string>()

  constructor(context: Context) {
    this.#context = context
  }

  async check(attempt: PasswordTry): Promise<TryResult> {
    const { projectId, visitor, address } = attempt
    const who = visitor === null ? `${projectId}:${callerOf(address)}` : `${projectId}:${visitor}`
    const seconds = this.#secondsToWait(who)
    if (seconds > 0) return { kind: 'wait', seconds }
    if (this.#running.has(who)) return { kind: 'wait', seconds: 1 }
    this.#running.add(who)
    try {
      return await this.#checks.run(projectId, () => this.#count(attempt, who))
    } catch (error) {
      if (error instanceof QueueFullError) return { kind: 'busy' }
      if (!(error instanceof Problem) || error.code !== 'too_many_attempts') throw error
      return { kind: 'wait', seconds: this.#refuse(who, Number(error.headers['Retry-After'] ?? 1)) }
    } finally {
      this.#running.delete(who)
    }
  }

  async #count(attempt: PasswordTry, who: string): Promise<TryResult> {
    const { projectId, address, visitor, password, hashes } = attempt
    const site: AttemptSubject = { kind: 'guessed-site', value: projectId }
    const isAttacked = (await attemptsOf(this.#context, site)) >= attackedAfter
    const own: AttemptSubject =
      visitor === null
        ? { kind: 'visitor', value: who, ...(isAttacked && { backoff: attackedBackoff }) }
        : { kind: 'known-visitor', value: who }
    const network: AttemptSubject = { kind: 'visitor-network', value: `${projectId}:${networkOf(address)}` }
    const shared = visitor === null ? [network, site] : []
    // Counted before the slow comparison, so that a try that is broken off counts too.
    await countAttempt(this.#context, [own, ...shared])
    const right = await matching(password, hashes)
    if (right.length === 0) return { kind: 'wrong' }
    await forgetAttempts(this.#context, { undo: shared, all: own })
    return { kind: 'right', hashes: right }
  }

  #secondsToWait(who: string): number {
    const until = this.#refused.get(who)
    if (until === undefined) return 0
    const left = until - this.#context.now()
    if (left <= 0) this.#refused.delete(who)
    return Math.max(0, Math.ceil(left / second))
  }

  #refuse(who: string, seconds: number): number {
    const [oldest] = this.#refused.keys()
    if (this.#refused.size >= maxRefused && oldest !== undefined) this.#refused.delete(oldest)
    this.#refused.set(who, this.#context.now() + seconds * second)
    return seconds
  }
}

async function matching(password: string, hashes: readonly string[]): Promise<string[]> {
  // As slow as a wrong password, so that it does not tell which users there are.
  if (hashes.length === 0) await hashDummyPassword(password)
  const right: string[] = []
  for (const hash of hashes.slice(0, maxHashesPerTry)) {
    if (await passwordMatches(password, hash)) right.push(hash)
  }
  return right
}
