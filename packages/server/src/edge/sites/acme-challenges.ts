import type { Logger } from 'pino'
import { challengePath } from '../../kernel/challenge-path.ts'
import { FairQueue } from '../../kernel/fair-queue.ts'
import { callerOf } from '../../limits/caller-address.ts'
import { defaultMissLimits, MissLimiter } from '../accept/miss-limiter.ts'
import { unavailablePage } from '../assets/pages.ts'
import { type Reply, withoutBody } from '../assets/reply.ts'

const tokenPattern = /^[A-Za-z0-9_-]{1,256}$/

/** Anyone may ask, and every look-up is a query. */
const maxConcurrent = 256

/** Finds the key authorization of an http-01 token; null if we did not create the token. */
export type FindChallenge = (token: string) => Promise<string | null>

export class ChallengeAnswers {
  readonly #find: FindChallenge
  readonly #log: Pick<Logger, 'error'>
  readonly #lookUps = new FairQueue({ size: maxConcurrent })
  readonly #misses: MissLimiter

  constructor(find: FindChallenge, log: Pick<Logger, 'error'>, now?: () => number) {
    this.#find = find
    this.#log = log
    this.#misses = new MissLimiter(defaultMissLimits, now)
  }

  /** Null if the challenge is not ours: the site may answer it then. */
  async answer(path: string, method: string, from: string): Promise<Reply | null> {
    const token = path.slice(challengePath.length)
    if ((method !== 'GET' && method !== 'HEAD') || !tokenPattern.test(token)) return null
    const found = await this.#lookUp(token, from)
    return found !== null && method === 'HEAD' ? withoutBody(found) : found
  }

  /** A client that invents tokens must not keep a certificate authority from its answer. */
  async #lookUp(token: string, from: string): Promise<Reply | null> {
    if (this.#misses.isOverLimit(from)) return unavailablePage
    try {
      const keyAuthorization = await this.#lookUps.run(callerOf(from), () => this.#find(token))
      if (keyAuthorization !== null) return plainReply(keyAuthorization)
      this.#misses.add(from)
      return null
    } catch (error) {
      this.#log.error({ err: error }, 'a challenge could not be looked up')
      return unavailablePage
    }
  }
}

/** That no cache may keep. */
export function plainReply(text: string): Reply {
  const bytes = Buffer.from(text)
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
