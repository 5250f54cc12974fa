import { credentialId, memberCredential, type SiteProtection } from '../../protection/protection.ts'

/** What opens some paths of a site: any one of the credentials. */
export interface Lock {
  readonly credentials: ReadonlySet<string>
  /** Whether each password belongs to a user. */
  readonly asksForUser: boolean
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

  covers(paths: readonly string[], hostname: string): boolean {
    return this.#locks.some((lock) => paths.some((path) => lock.covers(path, hostname)))
  }
}

/** Null if nothing is protected, so that all other sites go without. */
export function createGate(protection: SiteProtection | null, isPreview: boolean): Gate | null {
  const own = protection === null ? null : projectLock(protection, isPreview)
  return own === null ? null : new Gate([own], protection?.note ?? '')
}

function projectLock({ scope, paths, hash }: SiteProtection, isPreview: boolean): Lock | null {
  if (scope === 'previews' && !isPreview) return null
  const credentials = new Set([credentialId(hash)])
  const covers =
    scope === 'paths' ? (path: string) => paths.some((one) => isAtOrBelow(path, one)) : () => true
  return { credentials, asksForUser: false, covers }
}

/** `/members` is at and above `/members`, `/members/` and `/members/list`, and not of `/membership`. */
function isAtOrBelow(path: string, above: string): boolean {
  return above === '/' || path === above || path.startsWith(`${above}/`)
}
