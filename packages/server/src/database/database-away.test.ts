import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from '@masthead/testing/free-port.ts'
import { skipWithout } from '@masthead/testing/peers/peers.ts'
import { startPostgres } from '@masthead/testing/peers/postgres.ts'
import { sql } from 'kysely'
import { type Database, openDatabase } from './database.ts'
import { isDatabaseUnavailable } from './database-errors.ts'
import { onEachDatabase } from './each-database.test-kit.ts'

const silent = { warn: () => {} }
const skip = skipWithout('postgresql')
const failure = (work: Promise<unknown>) =>
  work.then(
    () => assert.fail('it did not fail'),
    (error: unknown) => error,
  )

test('a server that nobody listens for is away', async () => {
  const url = `postgres://postgres@localhost:${await freePort()}/postgres`
  assert.equal(isDatabaseUnavailable(await failure(openDatabase({ dialect: 'postgres', url }, silent))), true)
})

onEachDatabase('a mistake', ({ open }) => {
  test('in a query does not mean that the database is away', async () => {
    await using database = await open()
    const mistake = sql.raw('select * from nowhere').execute(database.read)
    assert.equal(isDatabaseUnavailable(await failure(mistake)), false)
  })
})

test('an upload that broke off does not mean that the database is away', () => {
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

test('when PostgreSQL crashes under the pool it is away, then back, and nothing acknowledged is lost', {
  skip,
}, async () => {
  const server = await startPostgres()
  const database = await openDatabase({ dialect: 'postgres', url: server.url }, silent)
  try {
    const attempt = { subject: 'before', failures: 1, last_at: 1 }
    await database.write((tx) => tx.insertInto('attempts').values(attempt).execute())
    const under = database.write(async (tx) => {
      await tx
        .insertInto('attempts')
        .values({ ...attempt, subject: 'under way' })
        .execute()
      // The loss of one backend makes the server end all of them and start anew from its log.
      process.kill(await backendOf(database), 'SIGKILL')
      for (;;) await sql`select pg_sleep(0.05)`.execute(tx)
    })
    assert.equal(isDatabaseUnavailable(await failure(under)), true)
    const read = () => database.read.selectFrom('attempts').select('subject').execute()
    assert.deepEqual(await oncePossible(read), [{ subject: 'before' }])
    await Promise.all(Array.from({ length: 20 }, read))
  } finally {
    await database.close()
    await server.stop()
  }
})
