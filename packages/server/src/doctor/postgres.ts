import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { DoctorFinding } from '@masthead/contract/schemas/operator.ts'
import type { Client } from 'pg'
import type { Database } from '../database/database.ts'
import { tlsAdvice } from '../database/database-errors.ts'
import { countRunningProcesses } from '../database/migrate/live-versions.ts'
import { second } from '../kernel/clock.ts'
import { formatList } from '../kernel/english.ts'
import { describeError, ok, problem, warning } from './check.ts'

/** The oldest that the tests run on. */
const oldestPostgres = 15
/** The pool of a process, and its connection for notifications. */
const connectionsPerProcess = 11

export interface PostgresFacts {
  /** As in `server_version_num`: 150004 is 15.4. */
  version: number
  isReplica: boolean
  /** Not a replica, but set to change nothing. */
  isReadOnly: boolean
  /** Null: the search path names no schema that exists. */
  schema: string | null
  mayCreate: boolean
  /** Tables of ours that this user cannot read, write or alter. */
  foreignTables: string[]
  /** Connections that this user may have, without those of others. */
  available: number
  setting: string
}

const newClient = (database: Database): Client => {
  if (database.dedicatedClient === null) throw new Error('not a PostgreSQL database')
  return database.dedicatedClient()
}

/** Connects for a moment. */
export async function withClient<T>(
  database: Database,
  signal: AbortSignal,
  work: (client: Client) => Promise<T>,
): Promise<T> {
  const client = newClient(database)
  client.on('error', () => {})
  const end = () => void client.end().catch(() => {})
  signal.addEventListener('abort', end)
  try {
    await client.connect()
    return await work(client)
  } finally {
    signal.removeEventListener('abort', end)
    end()
  }
}

const factsQuery = `
  select current_setting('server_version_num')::int as version,
    pg_is_in_recovery() as "isReplica",
    current_setting('transaction_read_only') = 'on' and not pg_is_in_recovery() as "isReadOnly",
    current_schema() as schema,
    coalesce(has_schema_privilege(current_schema(), 'CREATE'), false) as "mayCreate",
    array(
      select c.relname::text from pg_class c
      where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p')
        and not pg_has_role(c.relowner, 'USAGE')
        and c.relname in ('migrations', 'accounts', 'projects', 'deployments', 'domains', 'certificates', 'changes')
      order by 1
    ) as "foreignTables",
    least(
      current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int,
      (select case when rolconnlimit < 0 then 1000000 else rolconnlimit end from pg_roles where rolname = current_user),
      (select case when datconnlimit < 0 then 1000000 else datconnlimit end from pg_database where datname = current_database())
    ) - (
      select count(*)::int from pg_stat_activity
      where backend_type = 'client backend' and datname is distinct from current_database()
    ) as available,
    'max_connections ' || current_setting('max_connections') as setting`

/** `own`: the processes of this node. Those of all nodes count if they run. */
export async function checkDatabase(
  database: Database,
  own: number,
  signal: AbortSignal,
): Promise<DoctorFinding[]> {
  try {
    const facts = await withClient(database, signal, async (client) => {
      const { rows } = await client.query<PostgresFacts>(factsQuery)
      return rows[0]
    })
    if (facts === undefined) throw new Error('it returned no row')
    // Before the first start there is no table of them.
    const running = await countRunningProcesses(database.read, 'postgres').catch(() => 0)
    return judgePostgres(facts, Math.max(own, running))
  } catch (error) {
    return [judgeConnection(error)]
  }
}

function judgeConnection(error: unknown): DoctorFinding {
  const { code = '' } = error as NodeJS.ErrnoException
  const message = `PostgreSQL could not be used: ${describeError(error)}.`
  const advice = tlsAdvice(error)
  if (advice !== undefined) return problem(message, advice)
  if (code.startsWith('28')) return problem(message, 'Correct the user and the password in DATABASE_URL.')
  if (code === '3D000') return problem(message, 'Create the database, or correct its name in DATABASE_URL.')
  if (code === '53300') return problem(message, 'Raise max_connections, or run fewer processes.')
  return problem(message, 'Check that PostgreSQL runs, and the host and port in DATABASE_URL.')
}

export function judgePostgres(facts: PostgresFacts, processes: number): DoctorFinding[] {
  const { version, schema, mayCreate, foreignTables, available } = facts
  const major = Math.floor(version / 10_000)
  const findings: DoctorFinding[] = [ok(`PostgreSQL ${major}.${version % 10_000} is responding.`)]
  if (major < oldestPostgres) {
    findings.push(problem(`PostgreSQL ${major} is too old.`, `Update it to ${oldestPostgres} or later.`))
  }
  if (facts.isReplica)
    findings.push(problem('This is a read-only replica.', 'Set DATABASE_URL to the primary server.'))
  if (facts.isReadOnly) {
    findings.push(
      problem(
        'PostgreSQL is read-only, so nothing can be changed.',
        'Turn off default_transaction_read_only, for the server, the database and the user of DATABASE_URL.',
      ),
    )
  }
  if (schema === null) {
    findings.push(
      problem(
        'The search path names no schema that exists.',
        'Create the schema, or remove options from DATABASE_URL.',
      ),
    )
  } else if (!mayCreate) {
    findings.push(
      problem(
        `The user of DATABASE_URL may not create tables in the schema ${schema}.`,
        `Run as a superuser: grant create, usage on schema ${schema} to the user.`,
      ),
    )
  }
  if (foreignTables.length > 0) {
    findings.push(
      problem(
        `The tables ${formatList(foreignTables)} belong to another user, so updates cannot change them.`,
        'Use the user that created them in DATABASE_URL, or make this user their owner (reassign owned).',
      ),
    )
  }
  const needed = processes * connectionsPerProcess
  if (available < needed) {
    findings.push(
      problem(
        `There is room for ${Math.max(0, available)} connections, but ${processes === 1 ? '1 process needs' : `${processes} processes need`} ${needed}.`,
        `Raise max_connections in PostgreSQL (now: ${facts.setting}) or the limit of the user.`,
      ),
    )
  } else if (available < needed + connectionsPerProcess) {
    findings.push(
      warning(
        `There is room for ${available} connections: enough for now, but not for one more process during an update.`,
        `Raise max_connections in PostgreSQL to allow ${needed + connectionsPerProcess}.`,
      ),
    )
  }
  return findings
}

const patience = second

/** Whether a LISTEN outlives its transaction. Behind a pooler in transaction mode it does not, without any error. */
export async function checkNotifications(database: Database, signal: AbortSignal): Promise<DoctorFinding> {
  const channel = `masthead_doctor_${randomBytes(8).toString('hex')}`
  const isHeard = await withClient(database, signal, async (listener) => {
    const heard = Promise.withResolvers<boolean>()
    listener.on('notification', (notification) => {
      if (notification.channel === channel) heard.resolve(true)
    })
    await listener.query(`listen ${channel}`)
    await withClient(database, signal, (notifier) => notifier.query(`select pg_notify('${channel}', '')`))
    return Promise.race([heard.promise, sleep(patience, false, { ref: false })])
  })
  if (isHeard) return ok('Processes learn of changes immediately.')
  return warning(
    'Notifications get lost, as behind a pooler in transaction mode. A removed domain is served up to a second longer.',
    'Use session mode in the pooler (PgBouncer: pool_mode = session), or connect to PostgreSQL directly.',
  )
}
