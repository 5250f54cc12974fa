import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from '@masthead/testing/free-port.ts'
import { skipWithout } from '@masthead/testing/peers/peers.ts'
import { startPostgres } from '@masthead/testing/peers/postgres.ts'
import { sql } from 'kysely'
import { type Database, openDatabase } from './database.ts'
import { isDatabaseUnavailable, isStorageBroken, isStorageFull } from './database-errors.ts'
import { onEachDatabase } from './each-database.test-kit.ts'

const silent = { warn: () => {} }
const skip = skipWithout('postgresql')
const failure = (work: Promise<unknown>) =>
  work.then(
    () => assert.fail('it did not fail'),
    (error: unknown) => error,
  )

test('a port where nothing listens means that the database is unavailable', async () => {
  const url = `postgres://postgres@localhost:${await freePort()}/postgres`
  assert.equal(isDatabaseUnavailable(await failure(openDatabase({ dialect: 'postgres', url }, silent))), true)
})

test('so does a port that resets every connection, as a proxy does while its database is down', async () => {
  const proxy = createServer((socket) => void socket.once('data', () => socket.resetAndDestroy()))
  proxy.listen(0, '127.0.0.1')
  await once(proxy, 'listening')
  const url = `postgres://postgres@127.0.0.1:${(proxy.address() as AddressInfo).port}/postgres`
  assert.equal(isDatabaseUnavailable(await failure(openDatabase({ dialect: 'postgres', url }, silent))), true)
  proxy.close()
})

onEachDatabase('a mistake', ({ open }) => {
  test('in a query does not mean that the database is unavailable', async () => {
    await using database = await open()
    const mistake = sql.raw('select * from nowhere').execute(database.read)
    assert.equal(isDatabaseUnavailable(await failure(mistake)), false)
  })
})

test('an aborted upload does not mean that the database is unavailable', () => {
  const error = Object.assign(new Error('aborted'), { code: 'ECONNRESET' })
  assert.equal(isDatabaseUnavailable(error), false)
  assert.equal(isDatabaseUnavailable('ECONNREFUSED'), false)
})

async function oncePossible<T>(ask: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await ask()
    } catch (error) {
      if (!isDatabaseUnavailable(error)) throw error
      await sleep(50)
    }
  }
}

async function backendOf(database: Database): Promise<number> {
  const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(database.read)
  return rows[0]?.pid ?? assert.fail('no backend')
}

test('when PostgreSQL crashes it is unavailable, then back, and no committed write is lost', {
  skip,
}, async () => {
  const server = await startPostgres()
  const database = await openDatabase({ dialect: 'postgres', url: server.url }, silent)
  try {
    const attempt = { subject: 'before', failures: 1, last_at: 1 }
    await database.write((tx) => tx.insertInto('attempts').values(attempt).execute())
    const running = database.write(async (tx) => {
      await tx
        .insertInto('attempts')
        .values({ ...attempt, subject: 'under way' })
        .execute()
      // When one backend dies, the server restarts all of them and recovers from its log.
      process.kill(await backendOf(database), 'SIGKILL')
      for (;;) await sql`select pg_sleep(0.05)`.execute(tx)
    })
    assert.equal(isDatabaseUnavailable(await failure(running)), true)
    const read = () => database.read.selectFrom('attempts').select('subject').execute()
    assert.deepEqual(await oncePossible(read), [{ subject: 'before' }])
    await Promise.all(Array.from({ length: 20 }, read))
  } finally {
    await database.close()
    await server.stop()
  }
})

test('a database that cannot grow reports full storage, and works again once it can', async () => {
  const database = await openDatabase({ dialect: 'sqlite', file: ':memory:' }, silent)
  const { rows } = await sql<{ page_count: number }>`pragma page_count`.execute(database.read)
  const allow = (pages: number) => sql.raw(`pragma max_page_count = ${pages}`).execute(database.read)
  const write = (id: string) =>
    database.write((tx) =>
      tx
        .insertInto('accounts')
        .values({ id: `acc_${id}`, name: 'x'.repeat(100_000), plan: 'free', created_at: 1 })
        .execute(),
    )
  await allow(rows[0]?.page_count ?? 0)
  await assert.rejects(write('a'), isStorageFull)
  await allow(1_000_000)
  await write('b')
  await database.close()
})

test('a disk that fails or is read-only is recognized, and is not a full one', () => {
  for (const code of ['EROFS', 'EIO', 'EFBIG', '58030']) {
    const error = Object.assign(new Error('broken'), { code })
    assert.deepEqual([isStorageBroken(error), isStorageFull(error)], [true, false])
  }
  const mistakes = [new Error('read-only'), Object.assign(new Error(), { errcode: 19 }), null]
  assert.deepEqual(mistakes.map(isStorageBroken), [false, false, false])
})

test('full disks of files and of PostgreSQL are recognized, and other errors are not', () => {
  for (const code of ['ENOSPC', 'EDQUOT', '53100']) {
    assert.equal(isStorageFull(Object.assign(new Error('full'), { code })), true)
  }
  for (const error of [new Error('disk is full'), Object.assign(new Error(), { code: 'EACCES' }), null, 13]) {
    assert.equal(isStorageFull(error), false)
  }
})
