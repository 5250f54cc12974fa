import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'

/**
 * Below `/.well-known/acme-challenge/`, which every proxy has to let through: what works for our token works for a
 * certificate authority. Its own tokens have no dot.
 */
const routeTokenPrefix = 'masthead.'

/** What an edge says about a request for a token: that it arrived here, and how. */
export interface RouteAnswer {
  token: string
  /** Different for each answer, so that one from a cache is noticed. */
  id: string
  /** The host name that the request had when it arrived. */
  host: string
  /** Whether it arrived over HTTPS. */
  secure: boolean
  /** Where the connection came from. */
  from: string
}

const maxToken = 100
const maxAnswer = 2_000

export function newRouteToken(): string {
  return `${routeTokenPrefix}${randomBytes(18).toString('base64url')}`
}

export function isRouteToken(text: string): boolean {
  return text.startsWith(routeTokenPrefix) && text.length <= maxToken
}

/** Signs and checks what edges answer. Any edge of the installation can, without the database, and nobody else. */
export class RouteAnswers {
  readonly #key: Buffer

  constructor(siteKey: Buffer) {
    this.#key = createHmac('sha256', siteKey).update('route').digest()
  }

  sign(answer: Omit<RouteAnswer, 'id'>): string {
    const id = randomBytes(9).toString('base64url')
    const text = Buffer.from(JSON.stringify({ ...answer, id })).toString('base64url')
    return `${text}.${this.#signatureOf(text).toString('base64url')}`
  }

  /** Null if it was not signed here. */
  open(signed: string): RouteAnswer | null {
    const dot = signed.length > maxAnswer ? -1 : signed.indexOf('.')
    if (dot === -1) return null
    const text = signed.slice(0, dot)
    const given = Buffer.from(signed.slice(dot + 1).trim(), 'base64url')
    const expected = this.#signatureOf(text)
    if (given.length !== expected.length || !timingSafeEqual(given, expected)) return null
    return JSON.parse(Buffer.from(text, 'base64url').toString()) as RouteAnswer
  }

  #signatureOf(text: string): Buffer {
    return createHmac('sha256', this.#key).update(text).digest()
  }
}
