import { isUtf8 } from 'node:buffer'
import { hash } from 'node:crypto'
import { keepNewest } from '../kernel/cache/keep-newest.ts'
import { minute, second } from '../kernel/clock.ts'
import { FairQueue, QueueFullError } from '../kernel/fair-queue.ts'
import { callerOf } from '../limits/caller-address.ts'
import { hashDummyPassword, passwordMatches } from '../people/password.ts'
import { backoffAfter } from '../people/sign-in/attempts.ts'
import { credentialId, credentialsOf, normalizeUser } from './protection.ts'

/** Users and the hashes of their passwords. */
export type Users = readonly { user: string | null; hash: string }[]

export interface BasicTry {
  projectId: string
  /** The Authorization header. */
  header: string
  users: Users
  address: string
}

/** At the password of one user, and at all of a site. */
const freeTries = { user: 5, site: 20 }
const maxWait = 15 * minute
/** Programs send the same header with every request. */
const keptFor = 10 * minute
const maxKept = 10_000
const longestHeader = 400

/**
 * Checks `Authorization: Basic` of programs, which have no cookie. Each process counts for itself, by address: tries at
 * each user, so that a right password takes back those at itself only, and tries at a site.
 */
export class BasicTries {
  readonly #now: () => number
  /** One at a time. Up to 4,000 addresses wait for one site, each with one try. */
  readonly #checks = new FairQueue({ size: 1, maxWaiting: 20_000 })
  /** By a digest of header and users. */
  readonly #known = new Map<string, { ids: readonly string[]; until: number }>()
  readonly #failures = new Map<string, { count: number; at: number }>()
  readonly #running = new Set<string>()

  constructor(now: () => number) {
    this.#now = now
  }

  /** The credentials that the header shows, or the seconds after which it may be tried. */
  check(attempt: BasicTry): readonly string[] | number | Promise<readonly string[] | number> {
    const { header, users, projectId, address } = attempt
    const given = header.length > longestHeader ? null : readBasic(header)
    if (given === null) return []
    const key = hash('sha256', JSON.stringify([projectId, header, users]), 'base64url')
    const known = this.#known.get(key)
    if (known !== undefined && known.until > this.#now()) return known.ids
    const named = credentialsOf(users, given.user)
    const who = `${projectId} ${callerOf(address)}`
    const target = `${who} ${hash('sha256', JSON.stringify([given.user, named]), 'base64url')}`
    const seconds = Math.max(
      this.#secondsToWait(target, freeTries.user),
      this.#secondsToWait(who, freeTries.site),
    )
    if (seconds > 0) return seconds
    if (this.#running.has(who)) return 1
    this.#running.add(who)
    return this.#checks
      .run(projectId, () => idsFor(given.password, named))
      .then(
        (ids) => {
          if (ids.length === 0) this.#fail(who, target)
          else this.#forget(who, target)
          keepNewest(this.#known, key, { ids, until: this.#now() + keptFor }, maxKept)
          return ids
        },
        (error: unknown) => {
          if (error instanceof QueueFullError) return 5
          throw error
        },
      )
      .finally(() => this.#running.delete(who))
  }

  #secondsToWait(key: string, free: number): number {
    const failed = this.#failures.get(key)
    if (failed === undefined) return 0
    const wait = backoffAfter(failed.count, { freeAttempts: free, maxWait })
    return Math.max(0, Math.ceil((failed.at + wait - this.#now()) / second))
  }

  /** A program that has an old password tries it for days. The others of its address do not wait for that. */
  #fail(who: string, target: string): void {
    if (this.#add(target) <= freeTries.user) this.#add(who)
  }

  #add(key: string): number {
    const before = this.#failures.get(key)
    const isOld = before === undefined || this.#now() - before.at > 4 * maxWait
    const count = isOld ? 1 : before.count + 1
    keepNewest(this.#failures, key, { count, at: this.#now() }, maxKept)
    return count
  }

  #forget(who: string, target: string): void {
    const [wrong, all] = [this.#failures.get(target), this.#failures.get(who)]
    this.#failures.delete(target)
    if (wrong === undefined || all === undefined) return
    const count = Math.max(0, all.count - Math.min(wrong.count, freeTries.user))
    keepNewest(this.#failures, who, { ...all, count }, maxKept)
  }
}

async function idsFor(password: string, named: Users): Promise<string[]> {
  const ids: string[] = []
  // Or it would tell which users there are.
  if (named.length === 0) await hashDummyPassword(password)
  for (const { hash } of named) {
    if (await passwordMatches(password, hash)) ids.push(credentialId(hash))
  }
  return ids
}

/** RFC 7617. Python's requests, Java and curl on Windows send Latin-1, which is hardly ever valid UTF-8. */
function readBasic(header: string): { user: string; password: string } | null {
  const encoded = /^basic +([a-z0-9+/]+=*)$/i.exec(header)?.[1]
  if (encoded === undefined) return null
  const bytes = Buffer.from(encoded, 'base64')
  const text = bytes.toString(isUtf8(bytes) ? 'utf8' : 'latin1')
  const colon = text.indexOf(':')
  return colon === -1 ? null : { user: normalizeUser(text.slice(0, colon)), password: text.slice(colon + 1) }
}
