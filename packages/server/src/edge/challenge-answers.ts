import type { Logger } from 'pino'
import { callerOf } from '../limits/caller-address.ts'
import { AskedInVain, defaultVainLimits } from './asked-in-vain.ts'
import { FairTurns } from './fair-turns.ts'
import { unavailablePage } from './pages.ts'
import { type Reply, withoutBody } from './response.ts'

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
  readonly #turns = new FairTurns({ places: mostAtOnce })
  readonly #inVain: AskedInVain

  constructor(find: FindChallenge, log: Pick<Logger, 'error'>, now?: () => number) {
    this.#find = find
    this.#log = log
    this.#inVain = new AskedInVain(defaultVainLimits, now)
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
      if (keyAuthorization !== null) return answerWith(keyAuthorization)
      this.#inVain.add(from)
      return null
    } catch (error) {
      this.#log.error({ err: error }, 'a challenge could not be looked up')
      return unavailablePage
    }
  }
}

function answerWith(keyAuthorization: string): Reply {
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
