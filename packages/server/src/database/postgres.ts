import {
  PostgresAdapter,
  type PostgresCursor,
  PostgresDialect,
  type PostgresPool,
  type PostgresPoolClient,
  type PostgresQueryResult,
} from 'kysely'
import { Client, type ClientConfig, Pool, types } from 'pg'
import { second } from '../kernel/clock.ts'
import { TimeoutError, withTimeout } from '../kernel/with-timeout.ts'
import { DatabaseTimeoutError, ofConnecting, ofConnection, ofStatement } from './database-errors.ts'

/** How much longer than PostgreSQL itself we wait for its reply that a statement took too long. */
const replyWithin = second

/** PostgreSQL's own limit of each connection. */
const statementTimeouts = new WeakMap<PostgresPoolClient, number>()

/** When each connection was last given back, and so had answered. */
const answeredAt = new WeakMap<PostgresPoolClient, number>()

/**
 * PostgreSQL itself cancels a statement that takes too long: one that waits for a lock would not notice that we are gone,
 * and keep its connection. A firewall that drops a connection, or a proxy that hangs, leaves it open without any reply or
 * error: then the query fails here, and its connection does not go back to the pool. What happened to it has probably
 * happened to all that have not answered since: they are replaced, or a query would wait for each of them in turn.
 */
function poolWithTimeout(pool: PostgresPool, timeout: () => number | null): PostgresPool {
  let silentSince = Number.NEGATIVE_INFINITY
  const onSilence = (since: number) => {
    silentSince = Math.max(silentSince, since)
  }
  async function takeClient(): Promise<PostgresPoolClient> {
    const client = await pool.connect().catch((error: unknown) => {
      throw ofConnecting(error)
    })
    if ((answeredAt.get(client) ?? Number.POSITIVE_INFINITY) >= silentSince) return client
    client.release(true)
    return takeClient()
  }
  return {
    options: pool.options,
    async connect() {
      const timed = new ClientWithTimeout(await takeClient(), timeout, onSilence)
      await timed.limitStatements()
      return timed
    },
    end: () => pool.end(),
  }
}

/** A pooled client, from checkout to release. */
class ClientWithTimeout implements PostgresPoolClient {
  readonly #client: PostgresPoolClient
  readonly #timeout: () => number | null
  readonly #onSilence: (since: number) => void
  #timedOut: DatabaseTimeoutError | null = null

  constructor(client: PostgresPoolClient, timeout: () => number | null, onSilence: (since: number) => void) {
    this.#client = client
    this.#timeout = timeout
    this.#onSilence = onSilence
  }

  query<R>(sql: string, parameters: readonly unknown[]): Promise<PostgresQueryResult<R>>
  query<R>(cursor: PostgresCursor<R>): PostgresCursor<R>
  query<R>(query: string | PostgresCursor<R>, parameters: readonly unknown[] = []) {
    return typeof query === 'string' ? this.#run<R>(query, parameters) : this.#client.query(query)
  }

  async limitStatements(): Promise<void> {
    const timeout = this.#timeout()
    if (timeout === null || statementTimeouts.get(this.#client) === timeout) return
    try {
      await this.#run(setStatementTimeout(timeout), [])
      statementTimeouts.set(this.#client, timeout)
    } catch (error) {
      this.release(true)
      throw error
    }
  }

  release(destroy = false): void {
    if (this.#timedOut === null) answeredAt.set(this.#client, performance.now())
    this.#client.release(destroy || this.#timedOut !== null)
  }

  async #run<R>(sql: string, parameters: readonly unknown[]): Promise<PostgresQueryResult<R>> {
    // After a timeout, a rollback would get no reply either.
    if (this.#timedOut !== null) throw this.#timedOut
    const timeout = this.#timeout()
    const asked = performance.now()
    try {
      const query = this.#client.query<R>(sql, parameters)
      return await withQueryTimeout(query, timeout === null ? null : timeout + replyWithin)
    } catch (error) {
      if (error instanceof DatabaseTimeoutError) {
        this.#timedOut = error
        this.#onSilence(asked)
      }
      throw ofConnection(ofStatement(error))
    }
  }
}

async function withQueryTimeout<T>(query: Promise<T>, timeout: number | null): Promise<T> {
  if (timeout === null) return query
  try {
    return await withTimeout(query, timeout)
  } catch (error) {
    throw error instanceof TimeoutError ? new DatabaseTimeoutError(timeout) : error
  }
}

export interface DatabaseLog {
  warn(details: object, message: string): void
}

const connectTimeout = 5 * second

/** These mean `verify-full` to the driver too, but with a warning of seven lines. */
const checkedModes = /([?&]sslmode=)(?:prefer|require|verify-ca)(?=&|$)/

/** TCP keepalive detects that the other end is gone while we wait. */
function connectionTo(url: string): ClientConfig {
  return {
    connectionString: url.includes('uselibpqcompat=') ? url : url.replace(checkedModes, '$1verify-full'),
    connectionTimeoutMillis: connectTimeout,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10 * second,
    types: {
      getTypeParser: (oid, format) =>
        oid === types.builtins.INT8 ? Number : types.getTypeParser(oid, format),
    },
  }
}

/**
 * The server must release the locks of a transaction whose client is gone, before those who wait for them give up. Between
 * two statements a transaction waits for nothing but our own event loop.
 */
const setIdleTimeout = `set idle_in_transaction_session_timeout = ${10 * second}`

/** A statement and not a startup parameter, which PgBouncer would refuse. */
const setStatementTimeout = (milliseconds: number) => `set statement_timeout = ${milliseconds}`

export function postgresPool(url: string, log: DatabaseLog): Pool {
  const pool = new Pool({
    ...connectionTo(url),
    max: 10,
    onConnect: (client) => withQueryTimeout(client.query(setIdleTimeout), connectTimeout),
  })
  // The pool replaces broken connections (the server restarts). Without a listener, the error would end the process.
  // The pool itself only reports idle ones.
  const lost = (error: Error) => log.warn({ err: ofConnection(error) }, 'a PostgreSQL connection was lost')
  pool.on('error', () => {})
  pool.on('connect', (client) => client.on('error', lost))
  return pool
}

/** A query that takes longer than `timeout` fails. Without any reply, its connection is replaced. Null: no timeout. */
export function postgresDialect(pool: PostgresPool, timeout: () => number | null): PostgresDialect {
  return new ExternallyLockedDialect({ pool: poolWithTimeout(pool, timeout) })
}

/** For copying whole tables: a query may take as long as it needs. */
export function longRunningClient(url: string): Client {
  return new Client(connectionTo(url))
}

/** A query without a timely reply fails. The caller then has to end the client. */
export function dedicatedClient(url: string, statementTimeout: number): Client {
  return new DedicatedClient({ ...connectionTo(url), query_timeout: 2 * second }, statementTimeout)
}

class DedicatedClient extends Client {
  readonly #statementTimeout: number

  constructor(config: ClientConfig, statementTimeout: number) {
    super(config)
    this.#statementTimeout = statementTimeout
  }

  /** As in the pool: in its transaction mode, PgBouncer passes the setting on to other connections. */
  override async connect(): Promise<Client> {
    await super.connect()
    await this.query(setStatementTimeout(this.#statementTimeout))
    return this
  }
}

/**
 * Migrations run under our own lock. Releasing Kysely's fails after a failed migration, which would hide the reason.
 */
class ExternallyLockedDialect extends PostgresDialect {
  override createAdapter(): PostgresAdapter {
    return new ExternallyLockedAdapter()
  }
}

class ExternallyLockedAdapter extends PostgresAdapter {
  override async acquireMigrationLock(): Promise<void> {}
  override async releaseMigrationLock(): Promise<void> {}
}
