import { PostgresAdapter, PostgresDialect } from 'kysely'
import { Client, type ClientConfig, Pool, types } from 'pg'
import { minute, second } from '../clock.ts'
import { answerTo, impatientPool } from './impatient-pool.ts'

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
    onConnect: (client) => answerTo(client.query(limitPauses), connectTimeout),
  })
  // A connection that breaks (the server restarts) is replaced by the pool; unheard, it would end the process. The
  // pool hears of idle ones only.
  const lost = (error: Error) => log.warn({ err: error }, 'a PostgreSQL connection was lost')
  pool.on('error', () => {})
  pool.on('connect', (client) => client.on('error', lost))
  return new LockedByUsDialect({ pool: impatientPool(pool, patience) })
}

/** For what must be noticed soon: a query that is not answered in time fails, and the client is to be ended then. */
export function dedicatedClient(url: string): Client {
  return new Client({ ...connectionTo(url), query_timeout: 2 * second })
}

/** Migrations run under our own lock. To release Kysely's fails after a failed migration, and would hide why. */
class LockedByUsDialect extends PostgresDialect {
  override createAdapter(): PostgresAdapter {
    return new LockedByUsAdapter()
  }
}

class LockedByUsAdapter extends PostgresAdapter {
  override async acquireMigrationLock(): Promise<void> {}
  override async releaseMigrationLock(): Promise<void> {}
}
