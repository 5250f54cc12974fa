import { otherSlash } from '@masthead/contract/site-rules/match-redirects.ts'
import { parsePattern } from '@masthead/contract/site-rules/pattern.ts'
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
  covers(path: string, hostname: string): boolean
}

/** The locks of one site. A request has to open each that covers its path, or the file that answers it. */
export class Gate {
  /** What members of the account have instead of any password. */
  readonly member: string
  readonly note: string
  readonly #locks: readonly Lock[]

  constructor(locks: readonly Lock[], note: string) {
    this.#locks = locks
    this.note = note
    this.member = memberCredential(locks.flatMap(({ credentials }) => [...credentials]))
  }

  /** The first lock that these credentials do not open; null if the visitor may pass. */
  closedFor(paths: readonly string[], hostname: string, credentials: readonly string[]): Lock | null {
    if (credentials.includes(this.member)) return null
    const isClosed = (lock: Lock) =>
      paths.some((path) => lock.covers(path, hostname)) &&
      !credentials.some((one) => lock.credentials.has(one))
    return this.#locks.find(isClosed) ?? null
  }

  get firstLock(): Lock {
    const [first] = this.#locks
    if (first === undefined) throw new Error('A gate has no lock')
    return first
  }

  /** The locks in front of these paths. */
  locksAt(paths: readonly string[], hostname: string): Lock[] {
    return this.#locks.filter((lock) => paths.some((path) => lock.covers(path, hostname)))
  }
}

/** Null if nothing is protected, so that all other sites go without. */
export function createGate(
  protection: SiteProtection | null,
  isPreview: boolean,
  rules: readonly ProtectRule[],
): Gate | null {
  const own = protection === null ? null : projectLock(protection, isPreview)
  const locks = [...(own === null ? [] : [own]), ...rules.flatMap((rule) => ruleLock(rule) ?? [])]
  return locks.length === 0 ? null : new Gate(locks, own === null ? '' : (protection?.note ?? ''))
}

/** Like headers, it is for a path with and without a slash at the end. */
function ruleLock(rule: ProtectRule): Lock | null {
  const { from, credentials } = rule
  const pattern = parsePattern(from)
  if (typeof pattern === 'string') return null
  const index = new PatternIndex<{ pattern: typeof pattern; order: number }>()
  index.add({ pattern, order: 0 })
  const matches = (path: string, hostname: string) => index.match(path, hostname).length > 0
  const users = credentials.filter(({ user }) => user !== null)
  return {
    credentials: new Set(credentials.map(({ hash }) => credentialId(hash))),
    asksForUser: users.length > 0,
    users,
    rule,
    covers: (path, hostname) => matches(path, hostname) || matches(otherSlash(path), hostname),
  }
}

function projectLock({ scope, paths, hash }: SiteProtection, isPreview: boolean): Lock | null {
  if (scope === 'previews' && !isPreview) return null
  const credentials = new Set([credentialId(hash)])
  const covers =
    scope === 'paths' ? (path: string) => paths.some((one) => isAtOrBelow(path, one)) : () => true
  return { credentials, asksForUser: false, users: [], rule: null, covers }
}

/** `/members` is at and above `/members`, `/members/` and `/members/list`, and not of `/membership`. */
function isAtOrBelow(path: string, above: string): boolean {
  return above === '/' || path === above || path.startsWith(`${above}/`)
}
