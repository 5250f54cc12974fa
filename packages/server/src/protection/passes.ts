import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import { day, hour, second } from '../kernel/clock.ts'

/** What an edge says about the visitor it asks for a password. */
export interface SignInRequest {
  host: string
  /** Whether the visitor came over HTTPS. */
  secure: boolean
  projectId: string
  deploymentId: string | null
  /** Whether the password belongs to a user, of a `Basic-Auth` line. */
  asksForUser: boolean
  /** What lets a member in. */
  member: string
  /** Until when a member can use it. A password needs no such limit. */
  expiresAt: number
}

/** A member of the account who came through the dashboard. */
export interface SignedInMember {
  person: string
  session: string
}

/** Lets one visitor in to one host: the value of a cookie. */
export interface Pass {
  host: string
  projectId: string
  /** The credentials that the visitor has shown. */
  credentials: readonly string[]
  /** Whose session lets them in, for as long as it lasts; omitted for guests. */
  member?: SignedInMember | undefined
  /** Tells visitors apart who were here before, also after the pass has expired. */
  visitor: string
  expiresAt: number
}

/** A pass on its way from the dashboard's host to the site. Usable once. */
export interface Ticket extends Pass {
  id: string
  /** Until when it can be used, which is soon. */
  usableUntil: number
}

export const passLifetime = { password: 7 * day, member: day / 2 }
/** Browsers keep the cookie longer: it shows that somebody has been here before. */
export const cookieLifetime = 30 * day
export const requestLifetime = hour
const ticketLifetime = 60 * second

/** A visitor with passwords of several paths keeps the newest. */
export const maxCredentials = 8
const maxLength = 2_000

interface Signed {
  request: SignInRequest
  pass: Pass
  ticket: Ticket
}

/** Signs and checks what visitors carry. A value of one kind is never taken for another. */
export class Passes {
  readonly #key: Buffer

  constructor(key: Buffer) {
    this.#key = key
  }

  sign<K extends keyof Signed>(kind: K, value: Signed[K]): string {
    const text = Buffer.from(JSON.stringify(value)).toString('base64url')
    return `${text}.${this.#signatureOf(kind, text).toString('base64url')}`
  }

  /** Null if it was not signed here. Does not look at dates. */
  open<K extends keyof Signed>(kind: K, signed: string): Signed[K] | null {
    const dot = signed.length > maxLength ? -1 : signed.indexOf('.')
    if (dot === -1) return null
    const text = signed.slice(0, dot)
    const given = Buffer.from(signed.slice(dot + 1), 'base64url')
    const expected = this.#signatureOf(kind, text)
    if (given.length !== expected.length || !timingSafeEqual(given, expected)) return null
    return JSON.parse(Buffer.from(text, 'base64url').toString()) as Signed[K]
  }

  #signatureOf(kind: keyof Signed, text: string): Buffer {
    return createHmac('sha256', this.#key).update(`${kind} ${text}`).digest()
  }
}

export function newVisitor(): string {
  return randomBytes(9).toString('base64url')
}

interface NewTicket {
  now: number
  lifetime: number
  visitor: string | null
  member?: SignedInMember
}

export function newTicket(
  { host, projectId }: Pick<SignInRequest, 'host' | 'projectId'>,
  credentials: readonly string[],
  { now, lifetime, visitor, member }: NewTicket,
): Ticket {
  return {
    host,
    projectId,
    credentials,
    ...(member && { member }),
    visitor: visitor ?? newVisitor(),
    expiresAt: now + lifetime,
    id: newVisitor(),
    usableUntil: now + ticketLifetime,
  }
}

/** The only paths of a site that are ours, while it is protected. */
export const ownPaths = {
  signIn: '/.masthead/sign-in',
  enter: '/.masthead/enter',
  signOut: '/.masthead/sign-out',
} as const

/** A path on the same host: what follows the origin can never name another one. */
export function localTarget(text: string | null | undefined): string {
  if (text === null || text === undefined || text.length > 1_000) return '/'
  if (!/^\/[!-~]*$/.test(text) || /^\/[/\\]/.test(text) || text.startsWith('/.masthead/')) return '/'
  return text
}
