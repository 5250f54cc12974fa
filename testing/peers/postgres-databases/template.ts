import pg from 'pg'

/** What databases are copied from: made once per server, by the test that needs it first. */
export interface Template {
  name: string
  createTables(url: string): Promise<void>
}

const templateLock = 6_278_437_002
const templates = new Map<string, Promise<void>>()

export function prepareTemplate(server: string, template: Template): Promise<void> {
  const prepared = templates.get(template.name) ?? createTemplate(server, template)
  templates.set(template.name, prepared)
  return prepared
}

async function createTemplate(server: string, { name, createTables }: Template): Promise<void> {
  const client = new pg.Client({ connectionString: server })
  await client.connect()
  try {
    await client.query(`select pg_advisory_lock(${templateLock})`)
    const { rows } = await client.query(`select 1 from pg_database where datname = '${name}'`)
    if (rows.length > 0) return
    // Renamed when it is complete, so that no other process copies half of it.
    const draft = `${name}_draft`
    await client.query(`drop database if exists ${draft} with (force)`)
    await client.query(`create database ${draft}`)
    await createTables(databaseUrl(server, draft))
    await client.query(`alter database ${draft} rename to ${name}`)
  } finally {
    await client.end()
  }
}

export function databaseUrl(server: string, name: string): string {
  const url = new URL(server)
  url.pathname = `/${name}`
  return url.href
}
