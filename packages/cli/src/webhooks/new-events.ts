import type { Client } from '@masthead/client/client.ts'
import { pages } from '@masthead/client/paginate.ts'
import type { AccountEvent } from '@masthead/contract/schemas/account.ts'

type List = Client['listEvents']

export interface EventQuery {
  project?: string | undefined
}

const perPage = 100
/** After a long time offline, older ones are left out. */
const maxAtOnce = 1_000
const maxRemembered = 2 * maxAtOnce

/**
 * Reads what is new in the activity. By id and not by position: an event gets its id before it is stored, so one that
 * was stored later may have a place below one that was read before.
 */
export class NewEvents {
  readonly #list: List
  readonly #query: EventQuery
  #seen = new Set<string>()
  /** Nothing up to this id is new. */
  #floor = ''

  private constructor(list: List, query: EventQuery) {
    this.#list = list
    this.#query = query
  }

  /** What happened before is not new. */
  static async from(list: List, query: EventQuery, signal: AbortSignal): Promise<NewEvents> {
    const reader = new NewEvents(list, query)
    const { items, next } = await list({ query: { ...query, limit: perPage }, signal })
    reader.#seen = new Set(items.map(({ id }) => id))
    if (next !== null) reader.#floor = items.at(-1)?.id ?? ''
    return reader
  }

  /** Oldest first. */
  async read(signal: AbortSignal): Promise<AccountEvent[]> {
    const found: AccountEvent[] = []
    const query = { ...this.#query, limit: perPage }
    for await (const items of pages(this.#list, { query, signal })) {
      const fresh = items.filter(({ id }) => id > this.#floor && !this.#seen.has(id))
      found.push(...fresh)
      if (fresh.length < items.length || found.length >= maxAtOnce) break
    }
    for (const { id } of found) this.#seen.add(id)
    this.#forgetOld()
    return found.sort((a, b) => (a.id < b.id ? -1 : 1))
  }

  #forgetOld(): void {
    if (this.#seen.size <= maxRemembered) return
    const ids = [...this.#seen].sort()
    this.#floor = ids.at(-maxAtOnce - 1) ?? this.#floor
    this.#seen = new Set(ids.slice(-maxAtOnce))
  }
}
