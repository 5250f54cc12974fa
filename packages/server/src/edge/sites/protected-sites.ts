import { shownPathOf } from '@masthead/contract/site-paths/html-handling.ts'
import { decodeRoutePath, readingsOf } from '@masthead/contract/site-paths/site-path.ts'
import { BasicTries } from '../../protection/basic-tries.ts'
import {
  cookieLifetime,
  localTarget,
  maxCredentials,
  ownPaths,
  type Pass,
  type Passes,
  requestLifetime,
  type SignedInMember,
  type Ticket,
} from '../../protection/passes.ts'
import { isMemberCredential } from '../../protection/protection.ts'
import { isNavigation } from '../assets/negotiate.ts'
import { notFoundPage, unavailablePage } from '../assets/pages.ts'
import { type Reply, withCacheControl, withoutBody } from '../assets/reply.ts'
import {
  isValidationFile,
  isValidationPath,
  type RequestTarget,
  readRequestTarget,
} from '../assets/request-path.ts'
import { type EdgeRequest, respond } from '../assets/respond.ts'
import type { Site } from '../assets/site.ts'
import type { Gate, Lock } from '../protection/gate.ts'
import {
  localRedirect,
  plainRefusal,
  readTrouble,
  signInPage,
  signInPath,
  tooManyTries,
} from './sign-in-page.ts'

export interface ProtectionParts {
  passes: Passes
  now: () => number
  /** False if it was used before. */
  useTicket(ticket: Ticket): Promise<boolean>
  /** Whether a member of the account still is one, and signed in. */
  isMember(member: SignedInMember, accountId: string): Promise<boolean>
  /** Where passwords are checked. */
  dashboardOrigin(isSecure: boolean): string
}

export interface ProtectedVisit {
  readonly site: Site
  readonly gate: Gate
  readonly request: EdgeRequest
  readonly target: RequestTarget
  readonly hostname: string
  readonly isSecure: boolean
  /** Whether the DNS of the host leads here. If not, another server may have got the visitor's pass. */
  readonly pointsHere: boolean
  /** The visitor's address. */
  from(): string
}

/**
 * Lets visitors of protected sites in. Decides from memory, but for the one request that brings a ticket and the first
 * of a member.
 */
export class ProtectedSites {
  readonly #parts: ProtectionParts
  readonly #basic: BasicTries

  constructor(parts: ProtectionParts) {
    this.#parts = parts
    this.#basic = new BasicTries(parts.now)
  }

  /** The sign-in itself; null for all paths of the site. */
  answerOwnPath(visit: ProtectedVisit): Reply | Promise<Reply> | null {
    const { target, request } = visit
    if (!target.path.startsWith('/.masthead/')) return null
    if (request.method !== 'GET' && request.method !== 'HEAD') return null
    const query = new URLSearchParams(target.query)
    const to = localTarget(query.get('to'))
    switch (target.path) {
      case ownPaths.signIn:
        return whenKnown(this.#credentialsOf(visit), (shown) => this.#signIn(visit, to, query, shown))
      case ownPaths.enter:
        return this.#enter(visit, query.get('ticket') ?? '', to)
      case ownPaths.signOut:
        return localRedirect('/', ['Set-Cookie', cookieOf('', visit.isSecure, 0)])
      default:
        return null
    }
  }

  /** The answer for this visitor: the site's own, or the request for a password. */
  guard(visit: ProtectedVisit, reply: Reply): Reply | Promise<Reply> {
    const { site, gate, target, hostname, request } = visit
    if (reply === site.blockedPage || reply.status === 405) return reply
    // Nobody can sign in there: certificate authorities look for their files.
    if (isValidationPath(target.path)) {
      // A rule may show another file there, which the gate is in front of.
      const isOther = reply.file !== undefined && !isValidationFile(reply.file)
      if (reply.status !== 404 && !isOther) return reply
      return request.method === 'HEAD' ? withoutBody(notFoundPage) : notFoundPage
    }
    const locks = gate.locksAt(guardedPaths(site, target, reply), hostname)
    if (locks.length === 0) return reply
    return whenKnown(this.#credentialsOf(visit), (shown) => this.#decide(visit, reply, locks, shown))
  }

  #decide(
    visit: ProtectedVisit,
    reply: Reply,
    locks: readonly Lock[],
    credentials: readonly string[],
  ): Reply | Promise<Reply> {
    const { site, gate, request } = visit
    const decide = (shown: readonly string[]) => {
      const closed = gate.closedOf(locks, shown)
      return closed === null ? behindGate(reply, site) : this.#refuse(visit, closed)
    }
    const { authorization: header } = request.headers
    const closed = header === undefined ? null : gate.closedOf(locks, credentials)
    if (header === undefined || closed === null || closed.users.length === 0) return decide(credentials)
    const { projectId } = site.record
    const shown = this.#basic.check({
      projectId,
      header,
      users: closed.users,
      address: visit.from(),
    })
    return whenKnown(shown, (ids) =>
      typeof ids === 'number' ? forMethod(visit, tooManyTries(ids)) : decide([...credentials, ...ids]),
    )
  }

  #credentialsOf(visit: ProtectedVisit): readonly string[] | Promise<readonly string[]> {
    const pass = this.#passOf(visit)
    if (pass === null || pass.expiresAt <= this.#parts.now()) return []
    const { member, credentials } = pass
    const ofGuest = () => credentials.filter((one) => !isMemberCredential(one))
    if (member === undefined || !visit.pointsHere) return ofGuest()
    return this.#parts
      .isMember(member, visit.site.record.accountId)
      .then((isMember) => (isMember ? credentials : ofGuest()))
  }

  /** Expired or not. */
  #passOf({ request, site, hostname, isSecure }: ProtectedVisit): Pass | null {
    for (const value of cookiesOf(request.headers.cookie, cookieName(isSecure))) {
      const pass = this.#parts.passes.open('pass', value)
      if (pass?.host === hostname && pass.projectId === site.record.projectId) return pass
    }
    return null
  }

  #refuse(visit: ProtectedVisit, lock: Lock): Reply {
    const { target, request } = visit
    if (!isNavigation(request.headers)) return forMethod(visit, plainRefusal)
    return this.#page(visit, lock, localTarget(target.path + target.query), null)
  }

  #signIn(visit: ProtectedVisit, to: string, query: URLSearchParams, shown: readonly string[]): Reply {
    const { site, gate, hostname, request } = visit
    const target = readRequestTarget(to)
    // Another page may answer there, with a password of its own.
    const answer = respond(site, 'GET', target, request.headers, hostname)
    const lock = gate.closedOf(gate.locksAt(guardedPaths(site, target, answer), hostname), shown)
    const trouble = readTrouble(query)
    // Going back after the right password must not show the wrong one before it.
    if (lock === null && (trouble === null || shown.length > 0)) return localRedirect(to)
    return this.#page(visit, lock ?? gate.firstLock, to, trouble)
  }

  #page(visit: ProtectedVisit, lock: Lock, to: string, trouble: ReturnType<typeof readTrouble>): Reply {
    const { site, gate, hostname, isSecure } = visit
    const { projectId, deploymentId } = site.record
    const pass = this.#passOf(visit)
    const request = this.#parts.passes.sign('request', {
      ...{ host: hostname, secure: isSecure, projectId, deploymentId },
      ...{ asksForUser: lock.asksForUser, member: gate.member },
      expiresAt: this.#parts.now() + requestLifetime,
    })
    const page = signInPage({
      ...{ hostname, to, request, trouble, asksForUser: lock.asksForUser, note: gate.note },
      known:
        pass === null
          ? null
          : this.#parts.passes.sign('pass', { ...pass, credentials: [], member: undefined }),
      dashboardOrigin: this.#parts.dashboardOrigin(isSecure),
    })
    return forMethod(visit, page)
  }

  async #enter(visit: ProtectedVisit, signed: string, to: string): Promise<Reply> {
    const { passes, now, useTicket } = this.#parts
    const { site, hostname, isSecure, request } = visit
    const ticket = passes.open('ticket', signed)
    const again = localRedirect(signInPath(to, 'used'))
    if (ticket?.host !== hostname || ticket.projectId !== site.record.projectId) return again
    // Looking ahead must not use it up.
    if (ticket.usableUntil <= now() || request.method !== 'GET') return again
    try {
      if (!(await useTicket(ticket))) return again
    } catch {
      return unavailablePage
    }
    const { host, projectId, visitor } = ticket
    const earlier = this.#passOf(visit)
    const before = (await this.#credentialsOf(visit)).filter((one) => !ticket.credentials.includes(one))
    const member = ticket.member ?? (before.some(isMemberCredential) ? earlier?.member : undefined)
    const credentials = [...ticket.credentials, ...before].slice(0, maxCredentials)
    // What was shown before is not valid for longer than it was.
    const until = before.length === 0 ? ticket.expiresAt : (earlier?.expiresAt ?? 0)
    const expiresAt = Math.min(ticket.expiresAt, until)
    const value = passes.sign('pass', {
      ...{ host, projectId, credentials, visitor, expiresAt },
      ...(member && { member }),
    })
    return localRedirect(to, ['Set-Cookie', cookieOf(value, isSecure, cookieLifetime)])
  }
}

/** The requested path and the file that answers: either may be protected. */
export function guardedPaths(site: Site, target: RequestTarget, reply: Reply): string[] {
  const path = decodeRoutePath(target.path)
  const paths = path === null ? [] : readingsOf(path)
  if (reply.file !== undefined) paths.push(reply.file, shownPathOf(site.settings, reply.file))
  return paths
}

/** Without a promise where possible. */
function whenKnown<T, R>(value: T | Promise<T>, then: (value: T) => R | Promise<R>): R | Promise<R> {
  return value instanceof Promise ? value.then(then) : then(value)
}

function forMethod({ request }: ProtectedVisit, reply: Reply): Reply {
  return request.method === 'HEAD' ? withoutBody(reply) : reply
}

/** Browsers accept the prefix only over HTTPS and for this host alone, so no other site can set the cookie. */
function cookieName(isSecure: boolean): string {
  return isSecure ? '__Host-masthead-pass' : 'masthead-pass'
}

function cookieOf(value: string, isSecure: boolean, lifetime: number): string {
  const attributes = `Path=/; Max-Age=${lifetime / 1000}; HttpOnly; SameSite=Lax`
  return `${cookieName(isSecure)}=${value}; ${attributes}${isSecure ? '; Secure' : ''}`
}

/**
 * At most a few: somebody may have set others for a domain above. Commas separate nothing (RFC 6265, 4.2): a value that
 * another site has set may have some, followed by the name of the pass.
 */
function cookiesOf(header: string | undefined, name: string): string[] {
  if (header === undefined || !header.includes(name)) return []
  const values: string[] = []
  for (const cookie of header.split(/; */)) {
    if (cookie.startsWith(`${name}=`) && values.length < 3) values.push(cookie.slice(name.length + 1))
  }
  return values
}

const resourcePolicy = 'Cross-Origin-Resource-Policy'

/**
 * No cache but the visitor's own may keep it, and that one asks every time: the pass may have ended. Pages of other sites
 * below the platform domain cannot load it as a script, image or style: browsers send the pass along with these.
 */
export function behindGate(reply: Reply, site: Site): Reply {
  return site.kept.behindGate.of(reply, forOneVisitor)
}

function forOneVisitor(reply: Reply): Reply {
  const headers = withCacheControl(reply.headers, 'private, no-cache')
  const hasPolicy = headers.some(
    (name, at) => at % 2 === 0 && name.toLowerCase() === resourcePolicy.toLowerCase(),
  )
  if (!hasPolicy) headers.push(resourcePolicy, 'same-origin')
  return { ...reply, headers }
}
