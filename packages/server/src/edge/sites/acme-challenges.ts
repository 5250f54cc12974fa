import type { Logger } from 'pino'
import { FairQueue } from '../../kernel/fair-queue.ts'
import { callerOf } from '../../limits/caller-address.ts'
import { defaultMissLimits, MissLimiter } from '../accept/miss-limiter.ts'
import { unavailablePage } from '../assets/pages.ts'
import { type Reply, withoutBody } from '../assets/reply.ts'
import { decodeSitePath } from '../assets/request-path.ts'

/** Here certificate authorities look for the answer to a challenge (RFC 8555, 8.3): nothing leads away from it. */
const challengePath = '/.well-known/acme-challenge/'
const token = /^[A-Za-z0-9_-]{1,256}$/

/** Anybody may ask, and every question is a query. */
const mostAtOnce = 256

export function isChallenge(path: string): boolean {
  return path.startsWith(challengePath)
}

/** The answer to an http-01 challenge: the key authorization of a token, or null where the token is none of ours. */
export type FindChallenge = (token: string) => Promise<string | null>

export class ChallengeAnswers {
  readonly #find: FindChallenge
  readonly #log: Pick<Logger, 'error'>
  readonly #turns = new FairQueue({ places: mostAtOnce })
  readonly #inVain: MissLimiter

  constructor(find: FindChallenge, log: Pick<Logger, 'error'>, now?: () => number) {
    this.#find = find
    this.#log = log
    this.#inVain = new MissLimiter(defaultMissLimits, now)
  }

  /** Null: not a challenge of ours, so whoever has the host may answer. */
  async answer(path: string, method: string, from: string): Promise<Reply | null> {
    const asked = path.slice(challengePath.length)
    if ((method !== 'GET' && method !== 'HEAD') || !token.test(asked)) return null
    const found = await this.#look(asked, from)
    return found !== null && method === 'HEAD' ? withoutBody(found) : found
  }

  /** Whoever makes up tokens does not keep a certificate authority from its answer. */
  async #look(asked: string, from: string): Promise<Reply | null> {
    if (this.#inVain.isTooMuchFrom(from)) return unavailablePage
    try {
      const keyAuthorization = await this.#turns.take(callerOf(from), () => this.#find(asked))
      if (keyAuthorization !== null) return challengeReply(keyAuthorization)
      this.#inVain.add(from)
      return null
    } catch (error) {
      this.#log.error({ err: error }, 'a challenge could not be looked up')
      return unavailablePage
    }
  }
}

function challengeReply(keyAuthorization: string): Reply {
  const bytes = Buffer.from(keyAuthorization)
  return {
    status: 200,
    headers: [
      ...['Content-Type', 'application/octet-stream'],
      ...['Content-Length', String(bytes.length)],
      ...['Cache-Control', 'no-store', 'X-Content-Type-Options', 'nosniff'],
    ],
    body: { kind: 'bytes', bytes },
  }
}

/**
 * Where certificate authorities look for proof of control over a host: RFC 8555, 8.3, and the Baseline Requirements
 * of the CA/Browser Forum, 3.2.2.4.18.
 */
const folders = ['/.well-known/acme-challenge/', '/.well-known/pki-validation/']

/**
 * Whether a file here could get somebody a certificate for the host. Under names of the platform nothing that was
 * published answers there: the name is ours, whoever has the site.
 */
export function isValidationPath(rawPath: string): boolean {
  if (!/^\/+(?:\.|%2e)/i.test(rawPath)) return false
  const path = decodeSitePath(rawPath)
  return path !== null && folders.some((folder) => path.startsWith(folder))
}
