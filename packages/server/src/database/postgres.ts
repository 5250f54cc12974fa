import {
  PostgresAdapter,
  type PostgresCursor,
  PostgresDialect,
  type PostgresPool,
  type PostgresPoolClient,
  type PostgresQueryResult,
} from 'kysely'
import { Client, type ClientConfig, Pool, types } from 'pg'
import { minute, second } from '../kernel/clock.ts'
import { TimeoutError, withTimeout } from '../kernel/with-timeout.ts'
import { DatabaseTimeoutError } from './database-errors.ts'

/**
 * A firewall that forgets a connection, or a proxy that hangs, leaves it open: no answer comes on it, and no error. A
 * query that waits for longer than it may fails here, and its connection is not given out again.
 */
function poolWithTimeout(pool: PostgresPool, patience: () => number | null): PostgresPool {
  return {
    options: pool.options,
    connect: async () => new ClientWithTimeout(await pool.connect(), patience),
    end: () => pool.end(),
  }
}

/** From being taken out of the pool until it is given back. */
class ClientWithTimeout implements PostgresPoolClient {
  readonly #client: PostgresPoolClient
  readonly #patience: () => number | null
  #silent: DatabaseTimeoutError | null = null

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
      return await withQueryTimeout(this.#client.query<R>(sql, parameters), this.#patience())
    } catch (error) {
      if (error instanceof DatabaseTimeoutError) this.#silent = error
      throw error
    }
  }
}

/** Rejects when it does not come in so many milliseconds; the connection is of no use then. */
async function withQueryTimeout<T>(query: Promise<T>, patience: number | null): Promise<T> {
  if (patience === null) return query
  try {
    return await withTimeout(query, patience)
  } catch (error) {
    throw error instanceof TimeoutError ? new DatabaseTimeoutError(patience) : error
  }
}

export interface DatabaseLog {
  warn(details: object, message: string): void
}

const connectTimeout = 5 * second

/** Keepalive finds out that nobody is left at the other end of a connection that waits for something. */
function connectionTo(url: string): ClientConfig {
  return {
    connectionString: url,
    connectionTimeoutMillis: connectTimeout,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10 * second,
    types: {
      getTypeParser: (oid, format) =>
        oid === types.builtins.INT8 ? Number : types.getTypeParser(oid, format),
    },
  }
}

/** The server must not keep the locks of a transaction for long whose client it will not hear of again. */
const limitPauses = `set idle_in_transaction_session_timeout = ${minute}`

/** When a query is not answered for so long as `patience` says, it fails and its connection is replaced. Null: never. */
export function postgresDialect(
  url: string,
  log: DatabaseLog,
  patience: () => number | null,
): PostgresDialect {
  const pool = new Pool({
    ...connectionTo(url),
    max: 10,
    onConnect: (client) => withQueryTimeout(client.query(limitPauses), connectTimeout),
  })
  // A connection that breaks (the server restarts) is replaced by the pool; unheard, it would end the process. The
  // pool hears of idle ones only.
  const lost = (error: Error) => log.warn({ err: error }, 'a PostgreSQL connection was lost')
  pool.on('error', () => {})
  pool.on('connect', (client) => client.on('error', lost))
  return new ExternallyLockedDialect({ pool: poolWithTimeout(pool, patience) })
}

/** For what must be noticed soon: a query that is not answered in time fails, and the client is to be ended then. */
export function dedicatedClient(url: string): Client {
  return new Client({ ...connectionTo(url), query_timeout: 2 * second })
}

/** Migrations run under our own lock. To release Kysely's fails after a failed migration, and would hide why. */
class ExternallyLockedDialect extends PostgresDialect {
  override createAdapter(): PostgresAdapter {
    return new ExternallyLockedAdapter()
  }
}

class ExternallyLockedAdapter extends PostgresAdapter {
  override async acquireMigrationLock(): Promise<void> {}
  override async releaseMigrationLock(): Promise<void> {}
}
