import type { Conduct } from './conduct.ts'
import { packConduct } from './decide-script.ts'
import type { Journal } from './journal.ts'
import type { RedisLink } from './redis-link.ts'

export interface Recalled {
  /** Requests of the day. */
  today: number
  bans: ReadonlyMap<string, Conduct>
}

/**
 * Callers of whose day Redis knows nothing, be it the first request of the day or a Redis that was emptied or came back
 * without its data. The database is asked once for each, and bans go back where they were.
 */
export class LostCallers {
  readonly #link: RedisLink
  readonly #journal: Journal
  readonly #asking = new Map<string, Promise<Recalled | null>>()

  constructor(link: RedisLink, journal: Journal) {
    this.#link = link
    this.#journal = journal
  }

  /** Null: neither the database nor Redis could tell. Never throws. */
  recall(caller: string, hash: string, at: number): Promise<Recalled | null> {
    const asked = this.#asking.get(caller)
    if (asked !== undefined) return asked
    const answer = this.#recall(caller, hash, at)
      .catch(() => null)
      .finally(() => this.#asking.delete(caller))
    this.#asking.set(caller, answer)
    return answer
  }

  async #recall(caller: string, hash: string, at: number): Promise<Recalled | null> {
    const recalled = await this.#journal.recall(caller, at)
    for (const [keyId, conduct] of recalled.bans) {
      const kept = await this.#link.ask((redis) => redis.hsetnx(hash, keyId, packConduct(conduct)))
      if (kept === null) return null
    }
    return recalled
  }
}
