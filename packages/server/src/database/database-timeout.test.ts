import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { skipWithout } from '@masthead/testing/peers/peers.ts'
import { postgresSchema } from '@masthead/testing/peers/postgres.ts'
import { startSeverableLink } from '@masthead/testing/peers/severable-link.ts'
import { sql } from 'kysely'
import { type Database, openDatabase } from './database.ts'
import { isDatabaseUnavailable } from './database-errors.ts'
import { pingDatabase } from './database-health.ts'

const silent = { warn: () => {} }
const options = { skip: skipWithout('postgresql'), timeout: 60_000 }
const queryTimeout = 200

async function openOverLink() {
  await using stack = new AsyncDisposableStack()
  const schema = stack.use(await postgresSchema())
  const link = stack.use(await startSeverableLink(schema.url))
  const location = { dialect: 'postgres', url: link.url } as const
  const database = await openDatabase(location, silent, { queryTimeout })
  stack.defer(() => database.close())
  const all = stack.move()
  return { database, link, [Symbol.asyncDispose]: () => all.disposeAsync() }
}

/** Fills the pool with idle connections. */
async function fillPool({ read }: Database): Promise<void> {
  await Promise.all(Array.from({ length: 10 }, () => sql`select pg_sleep(0.05)`.execute(read)))
}

describe('a PostgreSQL connection that says nothing any more', options, () => {
  test('fails its query and is not reused', async () => {
    await using one = await openOverLink()
    const { database, link } = one
    await fillPool(database)
    link.freeze()
    const asked = Array.from({ length: 10 }, () => pingDatabase(database))
    for (const { status, reason } of (await Promise.allSettled(asked)) as PromiseRejectedResult[]) {
      assert.deepEqual([status, isDatabaseUnavailable(reason)], ['rejected', true], String(reason))
    }
    await fillPool(database)
  })

  test('takes the others with it that have said nothing since, so that nobody waits for each of them', async () => {
    await using one = await openOverLink()
    const { database, link } = one
    await fillPool(database)
    link.freeze()
    await assert.rejects(pingDatabase(database), isDatabaseUnavailable)
    for (let times = 0; times < 20; times++) await pingDatabase(database)
  })

  test('fails its transaction without waiting for a rollback', async () => {
    await using one = await openOverLink()
    const { database, link } = one
    const work = database.write(async (tx) => {
      await tx.insertInto('attempts').values({ subject: 'a', failures: 1, last_at: 1 }).execute()
      link.freeze()
      await tx.insertInto('attempts').values({ subject: 'b', failures: 1, last_at: 1 }).execute()
    })
    await assert.rejects(work, isDatabaseUnavailable)
    assert.deepEqual(await database.read.selectFrom('attempts').selectAll().execute(), [])
  })

  test("does not include waiting for another process's migration, which may take long", async () => {
    await using schema = await postgresSchema()
    const location = { dialect: 'postgres', url: schema.url } as const
    const first = await openDatabase(location, silent)
    const locked = Promise.withResolvers<void>()
    const busy = first.write(async (tx) => {
      await sql`lock table migrations`.execute(tx)
      locked.resolve()
      await sleep(5 * queryTimeout)
    })
    await locked.promise
    const second = await openDatabase(location, silent, { queryTimeout })
    await Promise.all([busy, first.close(), second.close()])
  })

  test('does not keep its locks on the server for long', async () => {
    await using one = await openOverLink()
    const { rows } = await sql`show idle_in_transaction_session_timeout`.execute(one.database.read)
    assert.deepEqual(rows, [{ idle_in_transaction_session_timeout: '10s' }])
  })
})
