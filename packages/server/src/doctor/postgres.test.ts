import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { skipWithout } from '@masthead/testing/peers/peers.ts'
import { startPgBouncer } from '@masthead/testing/peers/pgbouncer.ts'
import { type PostgresSchema, postgresSchema, startPostgres } from '@masthead/testing/peers/postgres.ts'
import { openDatabase } from '../database/database.ts'
import { clockOffset, judgeClock } from './clocks.ts'
import { checkDatabase, checkNotifications, judgePostgres } from './postgres.ts'

const skip = skipWithout('postgresql')
const silent = { warn: () => {} }
const signal = new AbortController().signal

/** As `masthead-server doctor` opens it. */
async function opened(url: string) {
  const database = await openDatabase({ dialect: 'postgres', url }, silent, { migrates: false })
  return { ...database, [Symbol.asyncDispose]: () => database.close() }
}

async function examine(url: string, processes = 1) {
  await using database = await opened(url)
  return await checkDatabase(database, processes, signal)
}

/** Another user of the same schema, with a password and no privileges. */
async function newUser(schema: PostgresSchema, options = '') {
  const name = `user_${randomBytes(6).toString('hex')}`
  await schema.query(`create user ${name} ${options}`)
  await schema.query(`grant usage on schema ${schema.name} to ${name}`)
  const url = new URL(schema.url)
  url.username = name
  return {
    name,
    url: url.href,
    [Symbol.asyncDispose]: async () => void (await schema.query(`drop owned by ${name}; drop user ${name}`)),
  }
}

test('an empty schema and one with our tables are fine for their owner', { skip }, async () => {
  await using schema = await postgresSchema()
  const statuses = async () => (await examine(schema.url)).map(({ status }) => status)
  assert.deepEqual(await statuses(), ['ok'])
  await (await openDatabase({ dialect: 'postgres', url: schema.url }, silent)).close()
  assert.deepEqual(await statuses(), ['ok'])
})

test('the doctor creates no tables', { skip }, async () => {
  await using schema = await postgresSchema()
  await examine(schema.url)
  const tables = await schema.query(`select 1 from pg_tables where schemaname = '${schema.name}'`)
  assert.deepEqual(tables, [])
})

test('a user who may not create tables, or does not own ours, is told how to change that', {
  skip,
}, async () => {
  await using schema = await postgresSchema()
  await using user = await newUser(schema)
  const [, cannotCreate, ...rest] = await examine(user.url)
  assert.deepEqual([cannotCreate?.status, rest], ['problem', []])
  assert.match(cannotCreate?.fix ?? '', /grant create, usage on schema/)
  await schema.query(`grant create on schema ${schema.name} to ${user.name}`)
  await (await openDatabase({ dialect: 'postgres', url: schema.url }, silent)).close()
  assert.match((await examine(user.url))[1]?.message ?? '', /^The tables accounts, .* belong to another user/)
})

test('too few connections for the processes of this node are a problem, and just enough a warning', {
  skip,
}, async () => {
  await using schema = await postgresSchema()
  await using user = await newUser(schema, 'connection limit 25')
  await schema.query(`grant create on schema ${schema.name} to ${user.name}`)
  const worst = async (processes: number) => (await examine(user.url, processes)).at(-1)?.status
  assert.deepEqual([await worst(1), await worst(2), await worst(3)], ['ok', 'warning', 'problem'])
})

test('the processes of all nodes need connections', { skip }, async () => {
  await using schema = await postgresSchema()
  await using user = await newUser(schema, 'connection limit 40')
  await schema.query(`grant create on schema ${schema.name} to ${user.name}`)
  const open = () => openDatabase({ dialect: 'postgres', url: user.url }, silent)
  const nodes = [await open(), await open(), await open()]
  assert.match((await examine(user.url)).at(-1)?.fix ?? '', /max_connections in PostgreSQL to allow 44/)
  for (const node of nodes) await node.close()
  assert.equal((await examine(user.url)).at(-1)?.status, 'ok')
})

test('a wrong password, a missing database and a stopped server are told apart', { skip }, async () => {
  const postgres = await startPostgres({ durable: false })
  const missing = postgres.url.replace(/\/postgres$/, '/nowhere')
  assert.match((await examine(missing))[0]?.fix ?? '', /Create the database/)
  const nobody = postgres.url.replace('postgres@', 'nobody:secret-password@')
  const [refused] = await examine(nobody)
  assert.match(refused?.fix ?? '', /user and the password in DATABASE_URL/)
  assert.doesNotMatch(JSON.stringify(refused), /secret-password/)
  await postgres.stop()
  assert.match((await examine(postgres.url))[0]?.fix ?? '', /Check that PostgreSQL runs/)
})

test('an old server and a replica are problems', () => {
  const healthy = {
    version: 150_004,
    isReplica: false,
    isReadOnly: false,
    schema: 'public',
    mayCreate: true,
    foreignTables: [],
    available: 97,
    setting: 'max_connections 100',
  }
  const statuses = (change: Partial<typeof healthy>) =>
    judgePostgres({ ...healthy, ...change }, 1).map(({ status }) => status)
  assert.deepEqual(statuses({}), ['ok'])
  assert.deepEqual(statuses({ version: 140_012 }), ['ok', 'problem'])
  assert.deepEqual(statuses({ isReplica: true }), ['ok', 'problem'])
  assert.deepEqual(statuses({ isReadOnly: true }), ['ok', 'problem'])
})

test('notifications are heard directly and through a pooler in session mode, not in transaction mode', {
  skip: skipWithout('postgresql', 'pgbouncer'),
}, async () => {
  await using schema = await postgresSchema()
  await using sessions = await startPgBouncer(schema.url, 'session')
  await using transactions = await startPgBouncer(schema.url, 'transaction')
  const heard = async (url: string) => {
    await using database = await opened(url)
    return await checkNotifications(database, signal)
  }
  assert.equal((await heard(schema.url)).status, 'ok')
  assert.equal((await heard(sessions.url)).status, 'ok')
  const lost = await heard(transactions.url)
  assert.equal(lost.status, 'warning')
  assert.match(lost.fix ?? '', /pool_mode = session/)
})

test('clocks agree within what a question takes, and are judged by how far they are off', async () => {
  const at =
    (...times: number[]) =>
    () =>
      times.shift() ?? Number.NaN
  assert.equal(await clockOffset(at(1_000, 9_000), async () => 5_000), 0)
  assert.equal(await clockOffset(at(1_000, 2_000), async () => 31_500), 30_000)
  assert.equal(judgeClock('the other', 1_500).status, 'ok')
  assert.match(judgeClock('the other', 5_000).message, /is 5 seconds behind the other/)
  assert.equal(judgeClock('the other', -5_000).status, 'warning')
  assert.equal(judgeClock('the other', -30_000).status, 'problem')
})
