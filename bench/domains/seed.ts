import { execFile } from 'node:child_process'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { promisify } from 'node:util'
import { createPublisher, type Publisher } from '@masthead/testing/clients/publisher.ts'
import { tarGz } from '@masthead/testing/clients/tar-gz.ts'
import { MastheadProcess } from '@masthead/testing/masthead-process.ts'
import { requirePeer } from '@masthead/testing/peers/peers.ts'
import { postgresSchema } from '@masthead/testing/peers/postgres.ts'

/** With psql, so that no driver is needed. */
async function runInPostgres(url: string, statements: readonly string[]): Promise<void> {
  const psql = join(dirname(requirePeer('postgresql')), 'psql')
  const commands = statements.flatMap((statement) => ['-c', statement])
  // libpq gives a plus sign in a URL a meaning of its own.
  const address = url.replaceAll('+', '%20')
  await promisify(execFile)(psql, [address, '-q', '-v', 'ON_ERROR_STOP=1', ...commands])
}

function runInSqlite(file: string, statements: readonly string[]): void {
  // The API of the same data writes too.
  using database = new DatabaseSync(file, { timeout: 60_000 })
  for (const statement of statements) database.exec(statement)
}

export const projects = 10

/** Verified domains of a few projects in a database, and what other processes need to serve them. */
export interface SeededDomains extends AsyncDisposable {
  api: MastheadProcess
  publisher: Publisher
  /** For other processes on the same data. */
  env: Record<string, string>
}

/** Scattered over the alphabet like real names, so that neighbours are not read together. */
export const seededName = (n: number) => `www.shop-${(n * 2_654_435_761) % 2 ** 32}.test`
export const projectOf = (n: number) => `bench-${n % projects}`

export async function seedDomains(dialect: 'sqlite' | 'postgres', count: number): Promise<SeededDomains> {
  await using started = new AsyncDisposableStack()
  const schema = dialect === 'postgres' ? started.use(await postgresSchema()) : null
  const place = schema === null ? {} : { DATABASE_URL: schema.url }
  const settings = { ...place, MASTHEAD_LOG: 'warn' }
  const api = started.use(await MastheadProcess.start({ env: { ...settings, MASTHEAD_ROLES: 'api' } }))
  const publisher = await createPublisher(api)
  for (let n = 0; n < projects; n++) {
    await publisher.createProject(projectOf(n))
    await publisher.publishArchive(projectOf(n), tarGz({ 'index.html': projectOf(n) }))
  }
  if (schema !== null) {
    // Checking the foreign keys of a million rows would take most of the time.
    const unchecked = 'set session_replication_role = replica'
    await runInPostgres(schema.url, [unchecked, insertStatement(count), 'analyze domains'])
  } else {
    runInSqlite(join(api.dataFolder, 'masthead.db'), [insertStatement(count), 'analyze'])
  }
  const parts = started.move()
  return {
    api,
    publisher,
    env: { ...settings, MASTHEAD_DATA: api.dataFolder },
    [Symbol.asyncDispose]: () => parts.disposeAsync(),
  }
}

/** One statement for both databases. Its arithmetic mirrors `seededName` and `projectOf`. */
function insertStatement(count: number): string {
  const at = Date.now()
  return `
    insert into domains (id, account_id, project_id, hostname, kind, state, held, target, challenge,
      created_at, verified_at, searching_since, asked_at, state_since, lease_until)
    with recursive numbers (n) as (
      select cast(0 as bigint) union all select n + 1 from numbers where n < ${count - 1})
    select 'dom_' || n, projects.account_id, projects.id,
      'www.shop-' || ((n * 2654435761) % 4294967296) || '.test', 'subdomain', 'verified', 1,
      't' || n, 'c' || n, ${at}, ${at}, ${at}, ${at}, ${at}, 0
    from numbers join projects on projects.slug = 'bench-' || (n % ${projects})`
}
