import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { test } from 'node:test'
import { until } from '@masthead/testing/until.ts'
import pg from 'pg'
import { skipWithout } from './peers.ts'
import { postgresSchema, startPostgres } from './postgres.ts'

const skip = skipWithout('postgresql')

async function query<Row extends pg.QueryResultRow>(url: string, sql: string): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 2000 })
  // A server that goes away tells its clients; unheard, that would end the test.
  client.on('error', () => {})
  await client.connect()
  try {
    return (await client.query<Row>(sql)).rows
  } finally {
    await client.end()
  }
}

test('two schemas of one server do not see each other', { skip }, async () => {
  await using one = await postgresSchema()
  await using other = await postgresSchema()
  await query(one.url, 'create table notes (body text)')
  await assert.rejects(query(other.url, 'select * from notes'), /does not exist/)
  assert.deepEqual(await query(one.url, 'select * from notes'), [])
})

test('a dropped schema takes its tables with it', { skip }, async () => {
  const schema = await postgresSchema()
  await query(schema.url, 'create table notes (body text)')
  await schema.drop()
  const left = await query(schema.url, `select 1 from pg_namespace where nspname = '${schema.name}'`)
  assert.deepEqual(left, [])
})

test('a server for tests that kill it writes through to the disk, as in production', { skip }, async () => {
  const server = await startPostgres()
  try {
    assert.deepEqual(await query(server.url, 'show fsync'), [{ fsync: 'on' }])
    assert.deepEqual(await query(server.url, 'show synchronous_commit'), [{ synchronous_commit: 'on' }])
  } finally {
    await server.stop()
  }
})

test('a crashed server has what was committed, and a paused one answers once it goes on', {
  skip,
}, async () => {
  const server = await startPostgres()
  try {
    await query(server.url, 'create table notes (body text)')
    await query(server.url, "insert into notes values ('kept')")
    await server.crash()
    await assert.rejects(query(server.url, 'select body from notes'))
    await server.start()
    assert.deepEqual(await query(server.url, 'select body from notes'), [{ body: 'kept' }])

    const client = new pg.Client({ connectionString: server.url })
    await client.connect()
    await server.pause()
    let isAnswered = false
    const answer = client.query('select 1').then(() => {
      isAnswered = true
    })
    await assert.rejects(query(server.url, 'select 1'), /timeout/)
    assert.equal(isAnswered, false)
    await server.resume()
    await answer
    await client.end()
  } finally {
    await server.stop()
  }
})

test('a paused server can be stopped', { skip }, async () => {
  const server = await startPostgres()
  const client = new pg.Client({ connectionString: server.url })
  client.on('error', () => {})
  await client.connect()
  await server.pause()
  await server.stop()
  await assert.rejects(query(server.url, 'select 1'), { code: 'ECONNREFUSED' })
})

test('a killed process leaves no server behind', { skip }, async () => {
  const program = `
    import { startPostgres } from ${JSON.stringify(import.meta.resolve('./postgres.ts'))}
    console.log((await startPostgres()).url)
    setInterval(() => {}, 1000)`
  const owner = spawn(process.execPath, ['--input-type=module', '-e', program], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [line] = (await once(owner.stdout.setEncoding('utf8'), 'data')) as [string]
  const url = line.trim()
  assert.deepEqual(await query(url, 'select 1 as up'), [{ up: 1 }])

  owner.kill('SIGKILL')
  const isGone = () =>
    query(url, 'select 1').then(
      () => false,
      (error: NodeJS.ErrnoException) => error.code === 'ECONNREFUSED',
    )
  await until(isGone, { everyMs: 100 })
})
