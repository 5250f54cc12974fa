import assert from 'node:assert/strict'
import { test } from 'node:test'
import pg from 'pg'
import { skipWithout } from '../peers.ts'
import { keptConnection } from './copied-database.ts'
import { postgresDatabase } from './pool.ts'

const skip = skipWithout('postgresql')

let made = 0
const template = {
  name: 'notes_template',
  async createTables(url: string) {
    made++
    await query(
      url,
      `create table settings (name text);
       insert into settings values ('original');
       create table notes (id bigint generated always as identity primary key, body text);
       create table remarks (note bigint references notes)`,
    )
  },
}

async function query<Row extends pg.QueryResultRow>(url: string, sql: string): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query<Row>(sql)).rows
  } finally {
    await client.end()
  }
}

test('databases have the tables of their template, made once, and rows of their own', { skip }, async () => {
  await using one = await postgresDatabase(template)
  await using other = await postgresDatabase(template)
  await query(one.url, "insert into notes (body) values ('mine')")
  assert.deepEqual(await query(one.url, 'select * from notes'), [{ id: '1', body: 'mine' }])
  assert.deepEqual(await query(other.url, 'select * from notes'), [])
  assert.equal(made, 1)
})

/** Uses a database, and returns the next one if it is the same. */
async function urlAfter(use: (url: string) => Promise<unknown>): Promise<{ before: string; after: string }> {
  let before = ''
  {
    await using database = await postgresDatabase(template)
    before = database.url
    await use(before)
  }
  await using database = await postgresDatabase(template)
  return { before, after: database.url }
}

const fill = (rows: number) => `
  insert into notes (body) select repeat('x', 100) from generate_series(1, ${rows});
  insert into remarks select id from notes`

for (const rows of [1, 5_000]) {
  test(`a database in which a test wrote ${rows} rows is emptied for the next one`, { skip }, async () => {
    const { before, after } = await urlAfter((url) => query(url, fill(rows)))
    assert.equal(after, before)
    assert.deepEqual(await query(after, 'select * from settings'), [{ name: 'original' }])
    assert.deepEqual(await query(after, 'select * from remarks'), [])
    assert.deepEqual(await query(after, "insert into notes (body) values ('first') returning id"), [
      { id: '1' },
    ])
  })
}

const changes = {
  'changed rows of the template': `update settings set name = 'changed'`,
  'added a table': 'create table extra (id int)',
  'removed a table': 'drop table remarks',
  'added a column': 'alter table notes add column extra int',
  'added an index': 'create index extra on notes (body)',
  'turned off a trigger': 'alter table remarks disable trigger all',
  'added a function': `create function extra() returns int language sql as 'select 1'`,
  'changed a setting': `do $$ begin execute format('alter database %I set work_mem = 64', current_database()); end $$`,
  'ended all connections':
    'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
}

for (const [change, sql] of Object.entries(changes)) {
  test(`a database in which a test ${change} is not used again`, { skip }, async () => {
    const { before, after } = await urlAfter((url) => query(url, sql))
    assert.notEqual(after, before)
    assert.deepEqual(await query(after, 'select * from settings'), [{ name: 'original' }])
  })
}

async function urlAfterConnection(name: string, sql: string): Promise<{ before: string; after: string }> {
  let left: pg.Client | undefined
  const urls = await urlAfter(async (url) => {
    left = new pg.Client({ connectionString: url, application_name: name })
    left.on('error', () => {})
    await left.connect()
    await left.query(sql)
  })
  await left?.end()
  return urls
}

test('a database that something is still connected to is not used again', { skip }, async () => {
  const { before, after } = await urlAfterConnection('', '')
  assert.notEqual(after, before)
})

test('a connection may be kept for the next test, unless it is in a transaction', { skip }, async () => {
  const idle = await urlAfterConnection(keptConnection, '')
  assert.equal(idle.after, idle.before)
  const busy = await urlAfterConnection(keptConnection, 'begin')
  assert.notEqual(busy.after, busy.before)
})
