import { setTimeout } from 'node:timers/promises'
import pg from 'pg'

/** A copy of a template, and a connection that restores it. */
export interface CopiedDatabase {
  name: string
  url: string
  /** Makes it what the template was, or returns false if only another copy is. */
  restore(): Promise<boolean>
  close(): Promise<void>
}

const list = (columns: string, rows: string) =>
  `(select string_agg(concat_ws(' ', ${columns}), ',' order by concat_ws(' ', ${columns})) from ${rows})`

/** The `application_name` of connections that may stay open for the next test, if they have nothing left to do. */
export const keptConnection = 'kept'

/** What a test could leave besides rows, without what the server itself notes in these catalogs. */
const traces = [
  list('attrelid, attname, atttypid, attnotnull, atthasdef', 'pg_attribute where attrelid >= 16384'),
  list('oid, relname, reloptions', 'pg_class where oid >= 16384'),
  list('oid, tgenabled', 'pg_trigger'),
  list('oid, convalidated', 'pg_constraint where oid >= 16384'),
  list('indexrelid, indisvalid', 'pg_index where indexrelid >= 16384'),
  list('oid, xmin', 'pg_proc where oid >= 16384'),
  list('setdatabase, setconfig', 'pg_db_role_setting'),
]

const connections = `select from pg_stat_activity
  where datname = current_database() and backend_type = 'client backend' and pid <> pg_backend_pid()
    and not (application_name = '${keptConnection}' and state = 'idle')`
/** A client that was closed just now may still be there. */
const waitsForConnections = [0, 5, 10, 20, 40]

const rowsOf = (table: string) => list('t', `${table} t`)
const sizeIfFilled = (table: string) =>
  `case when exists (select from ${table}) then pg_relation_size('${table}')::int end`

/** In larger tables, deleted rows would slow down the tests that follow. */
const smallTable = 64 * 1024

const restartSequences = `select setval(quote_ident(sequencename)::regclass, start_value, false)
  from pg_sequences where schemaname = 'public' and last_value is not null`

export async function openCopy(name: string, url: string): Promise<CopiedDatabase> {
  const client = new pg.Client({ connectionString: url })
  // A test may end this connection; then nothing can be restored.
  client.on('error', () => {})
  await client.connect()
  // Rows can be deleted in any order.
  await client.query('set session_replication_role = replica')

  const select = async <Values extends unknown[]>(...expressions: string[]): Promise<Values> => {
    const text = `select ${expressions.join()}`
    const { rows } = await client.query<Values>({ name: `values ${text.length}`, text, rowMode: 'array' })
    return rows[0] as Values
  }
  const [tables] = await select<[string[]]>(
    `array(select quote_ident(tablename) from pg_tables where schemaname = 'public')`,
  )
  const templateSizes = await select<(number | null)[]>(...tables.map(sizeIfFilled))
  const filledTables = tables.filter((_, index) => templateSizes[index] !== null)
  const emptyTables = tables.filter((_, index) => templateSizes[index] === null)
  const readState = () =>
    select<[string, ...(number | null)[]]>(
      `md5(concat(${[...traces, ...filledTables.map(rowsOf)].join()}))`,
      ...emptyTables.map(sizeIfFilled),
    )
  const [original] = await readState()
  const isAlone = async () => {
    for (const wait of waitsForConnections) {
      if (wait > 0) await setTimeout(wait)
      if ((await client.query(connections)).rowCount === 0) return true
    }
    return false
  }

  return {
    name,
    url,
    async restore() {
      try {
        if (!(await isAlone())) return false
        const [state, ...sizes] = await readState()
        if (state !== original) return false
        const statements = emptyTables.flatMap((table, index) => {
          const size = sizes[index] ?? null
          if (size === null) return []
          return size <= smallTable ? `delete from ${table}` : `truncate ${table} cascade`
        })
        await client.query([...statements, restartSequences].join(';'))
        return true
      } catch {
        return false
      }
    },
    close: () => client.end(),
  }
}
