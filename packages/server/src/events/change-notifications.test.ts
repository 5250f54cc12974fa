import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { skipWithout } from '@masthead/testing/peers/peers.ts'
import { startPostgres } from '@masthead/testing/peers/postgres.ts'
import { until } from '@masthead/testing/until.ts'
import { sql } from 'kysely'
import type { Database } from '../database/database.ts'
import { migratedPostgres } from '../database/each-database.test-kit.ts'
import { type FeedOfOne, heardOf, joinFeed } from './change-feed.test-kit.ts'
import { notifyOfChanges } from './change-notifications.ts'

const skip = skipWithout('postgresql')

/** Two processes that learn of each other's changes only by notification. */
async function joinTwo(url: string) {
  await using stack = new AsyncDisposableStack()
  const location = { dialect: 'postgres', url } as const
  const one = stack.use(await joinFeed(location, { hasNet: false }))
  const other = stack.use(await joinFeed(location, { hasNet: false }))
  const both = stack.move()
  return { one, other, [Symbol.asyncDispose]: () => both.disposeAsync() }
}

/** The listening connections that exist now. */
async function listeners({ read }: Database, ...feeds: FeedOfOne[]): Promise<number[]> {
  const pids = feeds.flatMap((feed) => feed.notifiers())
  const { rows } = await sql<{ pid: number }>`
    select pid from pg_stat_activity where pid = any(${pids})`.execute(read)
  return rows.map(({ pid }) => pid)
}

describe('over PostgreSQL', { skip }, () => {
  test('a change of another process arrives by notification', async () => {
    await using postgres = await migratedPostgres()
    await using two = await joinTwo(postgres.url)
    for (const subject of ['a', 'b', 'c']) {
      await two.one.tell(subject)
      await heardOf(subject, two.other)
    }
    assert.deepEqual(two.other.heard, ['a', 'b', 'c'])
  })

  test('stopped hosts and projects and revoked access are reported by the notification itself, before anything is read', async () => {
    await using postgres = await migratedPostgres()
    await using two = await joinTwo(postgres.url)
    const { one, other } = two
    // Nothing is recorded, so only the notification itself can report it.
    await one.database.write(async (tx) => {
      await notifyOfChanges(tx, [
        { kind: 'project', subject: 'acme' },
        { kind: 'project_stopped', subject: 'shop' },
        { kind: 'access', subject: 'acc_1' },
        { kind: 'domain_stopped', subject: 'www.acme.com' },
      ])
    })
    await heardOf('www.acme.com', other)
    assert.deepEqual(other.heard, ['shop', 'acc_1', 'www.acme.com'])
  })

  test('a lost listening connection is replaced, and no change is missed', async () => {
    await using postgres = await migratedPostgres()
    await using two = await joinTwo(postgres.url)
    const { one, other } = two
    for (let round = 0; round < 5; round++) {
      const pids = await listeners(one.database, one, other)
      assert.equal(pids.length, 2)
      for (const pid of pids) await sql`select pg_terminate_backend(${pid})`.execute(one.database.read)
      await one.tell(`in the gap ${round}`)
      await heardOf(`in the gap ${round}`, other)
      const isNew = (pid: number) => !pids.includes(pid)
      await until(async () => (await listeners(one.database, one, other)).filter(isNew).length >= 2)
      await one.tell(`after ${round}`)
      await heardOf(`after ${round}`, other)
    }
    assert.equal(other.heard.length, 10)
    assert.equal(new Set(other.heard).size, 10)
    assert.equal(other.warnings.length, 5)
  })

  test('a lost notification on a working connection is made up for by polling', async () => {
    await using postgres = await migratedPostgres()
    const location = { dialect: 'postgres', url: postgres.url } as const
    await using one = await joinFeed(location)
    await using other = await joinFeed(location)
    await other.stopNotifications()
    await one.tell('a')
    await heardOf('a', other)
    assert.deepEqual([other.heard, other.warnings], [['a'], []])
  })

  test('when PostgreSQL goes down and comes back, every reader catches up', async () => {
    const server = await startPostgres()
    try {
      await using two = await joinTwo(server.url)
      const { one, other } = two
      await one.tell('before')
      await heardOf('before', other)
      // When one backend dies, the server restarts all of them and recovers from its log.
      process.kill((await listeners(one.database, one, other))[0] ?? assert.fail('nobody listens'), 'SIGKILL')
      await until(() => other.warnings.length > 0)
      assert.deepEqual(other.heard, ['before'])
      await onceBack(() => one.tell('after'))
      await heardOf('after', other)
      assert.deepEqual([...new Set(other.heard)], ['before', 'after'])
    } finally {
      await server.stop()
    }
  })

  test('a closed feed leaves no connection behind', async () => {
    await using postgres = await migratedPostgres()
    await using watching = await joinFeed({ dialect: 'postgres', url: postgres.url }, { isTold: false })
    const feed = await joinFeed({ dialect: 'postgres', url: postgres.url })
    assert.equal((await listeners(watching.database, feed)).length, 1)
    await feed[Symbol.asyncDispose]()
    await until(async () => (await listeners(watching.database, feed)).length === 0)
    assert.deepEqual(feed.warnings, [])
  })
})

/** Pooled connections may fail in many ways while the server goes down, so retry whatever fails. */
async function onceBack(work: () => Promise<void>, tries = 500): Promise<void> {
  await work().catch(async (error: unknown) => {
    if (tries === 0) throw error
    await sleep(20)
    await onceBack(work, tries - 1)
  })
}
