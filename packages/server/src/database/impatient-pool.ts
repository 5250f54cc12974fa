import type { PostgresCursor, PostgresPool, PostgresPoolClient, PostgresQueryResult } from 'kysely'
import { TooSlow, withinBudget } from '../within-budget.ts'
import { DatabaseSilent } from './database-away.ts'

/**
 * A firewall that forgets a connection, or a proxy that hangs, leaves it open: no answer comes on it, and no error. A
 * query that waits for longer than it may fails here, and its connection is not given out again.
 */
export function impatientPool(pool: PostgresPool, patience: () => number | null): PostgresPool {
  return {
    options: pool.options,
    connect: async () => new ImpatientClient(await pool.connect(), patience),
    end: () => pool.end(),
  }
}

/** From being taken out of the pool until it is given back. */
class ImpatientClient implements PostgresPoolClient {
  readonly #client: PostgresPoolClient
  readonly #patience: () => number | null
  #silent: DatabaseSilent | null = null

  constructor(client: PostgresPoolClient, patience: () => number | null) {
    this.#client = client
    this.#patience = patience
  }

  query<R>(sql: string, parameters: readonly unknown[]): Promise<PostgresQueryResult<R>>
  query<R>(cursor: PostgresCursor<R>): PostgresCursor<R>
  query<R>(query: string | PostgresCursor<R>, parameters: readonly unknown[] = []) {
    return typeof query === 'string' ? this.#ask<R>(query, parameters) : this.#client.query(query)
  }

  release(destroy = false): void {
    this.#client.release(destroy || this.#silent !== null)
  }

  async #ask<R>(sql: string, parameters: readonly unknown[]): Promise<PostgresQueryResult<R>> {
    // The rollback after a query that had no answer would have none either.
    if (this.#silent !== null) throw this.#silent
    try {
      return await answerTo(this.#client.query<R>(sql, parameters), this.#patience())
    } catch (error) {
      if (error instanceof DatabaseSilent) this.#silent = error
      throw error
    }
  }
}

/** Rejects when it does not come in so many milliseconds; the connection is of no use then. */
export async function answerTo<T>(query: Promise<T>, patience: number | null): Promise<T> {
  if (patience === null) return query
  try {
    return await withinBudget(query, patience)
  } catch (error) {
    throw error instanceof TooSlow ? new DatabaseSilent(patience) : error
  }
}
