import { hash } from 'node:crypto'
import { protectionLimits } from '@masthead/contract/project-settings.ts'
import type { Context } from '../database/database.ts'
import { keepNewest } from '../kernel/cache/keep-newest.ts'
import { minute, second } from '../kernel/clock.ts'
import { FairQueue, QueueFullError } from '../kernel/fair-queue.ts'
import { Problem } from '../kernel/problem.ts'
import { callerOf, networkOf } from '../limits/caller-address.ts'
import { hashDummyPassword, passwordMatches } from '../people/password.ts'
import { type AttemptSubject, attemptsOf, countAttempt, forgetAttempts } from '../people/sign-in/attempts.ts'
import { credentialId } from './protection.ts'

export interface PasswordTry {
  projectId: string
  address: string
  /** From an earlier pass for this project; null if there is none. */
  visitor: string | null
  /** Empty if the password is for everyone. */
  user: string
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
 *
 * Each password of a site is counted separately, too: a right one takes back the wrong tries at itself. Somebody who
 * knows one of them would otherwise guess the others without a limit.
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
    const who = `${projectId}:${visitor ?? callerOf(address)}`
    const targets = targetsOf(attempt)
    const tried = [who, ...targets].join(':')
    const seconds = this.#secondsToWait(tried)
    if (seconds > 0) return { kind: 'wait', seconds }
    if (this.#running.has(who)) return { kind: 'wait', seconds: 1 }
    this.#running.add(who)
    try {
      return await this.#checks.run(projectId, () => this.#count(attempt, who, targets))
    } catch (error) {
      if (error instanceof QueueFullError) return { kind: 'busy' }
      if (!(error instanceof Problem) || error.code !== 'too_many_attempts') throw error
      return { kind: 'wait', seconds: this.#refuse(tried, Number(error.headers['Retry-After'] ?? 1)) }
    } finally {
      this.#running.delete(who)
    }
  }

  async #count(attempt: PasswordTry, who: string, targets: readonly string[]): Promise<TryResult> {
    const { visitor, password } = attempt
    const kind = visitor === null ? 'visitor' : 'known-visitor'
    const own = targets.map((target): AttemptSubject => ({ kind, value: `${who}:${target}` }))
    const shared = await this.#sharedSubjects(attempt)
    // Counted before the slow comparison, so that a try that is broken off counts too.
    await countAttempt(this.#context, [...own, ...shared])
    const right = await matching(password, triedHashes(attempt))
    if (right.length === 0) return { kind: 'wrong' }
    const opened = new Set(right.map(credentialId))
    const all = own.filter((_, at) => opened.has(targets[at] ?? ''))
    const others = own.filter((_, at) => !opened.has(targets[at] ?? ''))
    // With others, earlier tries stay counted: they were guesses at those as well.
    const undoEarlier = others.length === 0
    await forgetAttempts(this.#context, { all, undo: [...others, ...shared], undoEarlier })
    return { kind: 'right', hashes: right }
  }

  /** Over all passwords of the site. Known browsers too: somebody who knows one password can be a new one every time. */
  async #sharedSubjects({ projectId, address, visitor }: PasswordTry): Promise<AttemptSubject[]> {
    const value = `${projectId}:${callerOf(address)}`
    const site: AttemptSubject = { kind: 'guessed-site', value: projectId }
    if (visitor !== null) return [{ kind: 'known-visitor-address', value }, site]
    const isAttacked = (await attemptsOf(this.#context, site)) >= attackedAfter
    return [
      { kind: 'visitor-address', value, ...(isAttacked && { backoff: attackedBackoff }) },
      { kind: 'visitor-network', value: `${projectId}:${networkOf(address)}` },
      site,
    ]
  }

  #secondsToWait(tried: string): number {
    const until = this.#refused.get(tried)
    if (until === undefined) return 0
    const left = until - this.#context.now()
    if (left <= 0) this.#refused.delete(tried)
    return Math.max(0, Math.ceil(left / second))
  }

  #refuse(tried: string, seconds: number): number {
    keepNewest(this.#refused, tried, this.#context.now() + seconds * second, maxRefused)
    return seconds
  }
}

function triedHashes({ hashes }: PasswordTry): readonly string[] {
  return hashes.slice(0, maxHashesPerTry)
}

/** The passwords that a try is a guess at. A user without one counts too, or it would tell which users there are. */
function targetsOf(attempt: PasswordTry): readonly string[] {
  const ids = triedHashes(attempt).map(credentialId)
  return ids.length > 0 ? ids : [hash('sha256', attempt.user, 'base64url').slice(0, 16)]
}

async function matching(password: string, hashes: readonly string[]): Promise<string[]> {
  // As slow as a wrong password, so that it does not tell which users there are.
  if (hashes.length === 0) await hashDummyPassword(password)
  const right: string[] = []
  for (const one of hashes) {
    if (await passwordMatches(password, one)) right.push(one)
  }
  return right
}
