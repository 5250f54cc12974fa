import { otherSlash } from '@masthead/contract/site-rules/match-redirects.ts'
import { heapBytesOf } from '@masthead/contract/site-rules/matching/heap-bytes.ts'
import { MatchBudget } from '@masthead/contract/site-rules/matching/match-budget.ts'
import { type Pattern, parsePattern } from '@masthead/contract/site-rules/pattern.ts'
import { PatternIndex } from '@masthead/contract/site-rules/pattern-index.ts'
import type { ProtectRule } from '@masthead/contract/site-rules/rules.ts'
import type { Users } from '../../protection/basic-tries.ts'
import { credentialId, memberCredential, type SiteProtection } from '../../protection/protection.ts'

/** What opens some paths of a site: any one of the credentials. */
export interface Lock {
  readonly credentials: ReadonlySet<string>
  /** Whether each password belongs to a user. */
  readonly asksForUser: boolean
  /** Who may show a password with each request, as programs do. */
  readonly users: Users
  /** The rule it comes from; null for the project's own password. */
  readonly rule: Pick<ProtectRule, 'file' | 'line'> | null
}

interface ProjectLock {
  readonly lock: Lock
  covers(path: string): boolean
}

interface RuleLock {
  readonly lock: Lock
  readonly pattern: Pattern
  readonly order: number
}

/** The locks of one site. A request has to open each that covers its path, or the file that answers it. */
export class Gate {
  /** What members of the account have instead of any password. */
  readonly member: string
  readonly note: string
  readonly firstLock: Lock
  readonly #own: ProjectLock | null
  /** Together, so that a long path is read once, not once per lock. */
  readonly #rules = new PatternIndex<RuleLock>()
  /** What it takes in memory, at most. */
  readonly bytes: number

  constructor(own: ProjectLock | null, rules: readonly RuleLock[], note: string) {
    const locks = [...(own === null ? [] : [own]), ...rules].map(({ lock }) => lock)
    const [first] = locks
    if (first === undefined) throw new Error('A gate has no lock')
    this.firstLock = first
    this.#own = own
    let bytes = 0
    for (const rule of rules) {
      this.#rules.add(rule)
      bytes += heapBytesOf({ ...rule, credentials: [...rule.lock.credentials] })
    }
    this.bytes = bytes + this.#rules.bytes
    this.note = note
    this.member = memberCredential(locks.flatMap(({ credentials }) => [...credentials]))
  }

  /** The locks in front of these paths. Like headers, rules are for a path with and without a slash at the end. Throws MatchBudgetError. */
  locksAt(paths: readonly string[], hostname: string): Lock[] {
    const own = this.#own !== null && paths.some((path) => this.#own?.covers(path)) ? [this.#own.lock] : []
    if (this.#rules.size === 0) return own
    const found = new Set<RuleLock>()
    const budget = new MatchBudget()
    for (const path of new Set(paths.flatMap((path) => [path, otherSlash(path)]))) {
      for (const rule of this.#rules.match(path, hostname, budget)) found.add(rule)
    }
    const inOrder = [...found].sort((one, other) => one.order - other.order)
    return [...own, ...inOrder.map(({ lock }) => lock)]
  }

  /** The first of these locks that the credentials do not open; null if the visitor may pass. */
  closedOf(locks: readonly Lock[], credentials: readonly string[]): Lock | null {
    if (credentials.includes(this.member)) return null
    return locks.find((lock) => !credentials.some((one) => lock.credentials.has(one))) ?? null
  }
}

/** Null if nothing is protected, so that all other sites go without. */
export function createGate(
  protection: SiteProtection | null,
  isPreview: boolean,
  rules: readonly ProtectRule[],
): Gate | null {
  const own = protection === null ? null : projectLock(protection, isPreview)
  const ruled = rules.flatMap((rule, order) => ruleLock(rule, order) ?? [])
  if (own === null && ruled.length === 0) return null
  return new Gate(own, ruled, own === null ? '' : (protection?.note ?? ''))
}

function ruleLock(rule: ProtectRule, order: number): RuleLock | null {
  const { from, credentials } = rule
  const pattern = parsePattern(from)
  if (typeof pattern === 'string') return null
  const users = credentials.filter(({ user }) => user !== null)
  const lock = {
    credentials: new Set(credentials.map(({ hash }) => credentialId(hash))),
    asksForUser: users.length > 0,
    users,
    rule,
  }
  return { lock, pattern, order }
}

function projectLock({ scope, paths, hash }: SiteProtection, isPreview: boolean): ProjectLock | null {
  if (scope === 'previews' && !isPreview) return null
  const credentials = new Set([credentialId(hash)])
  const covers =
    scope === 'paths' ? (path: string) => paths.some((one) => isAtOrBelow(path, one)) : () => true
  return { lock: { credentials, asksForUser: false, users: [], rule: null }, covers }
}

/** `/members` is at and above `/members`, `/members/` and `/members/list`, and not of `/membership`. */
function isAtOrBelow(path: string, above: string): boolean {
  return above === '/' || path === above || path.startsWith(`${above}/`)
}
