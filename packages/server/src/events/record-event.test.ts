import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Id } from '@masthead/contract/schemas/fields.ts'
import { until } from '@masthead/testing/until.ts'
import { type Database, lock } from '../database/database.ts'
import { onEachDatabase } from '../database/each-database.test-kit.ts'
import { joinFeed } from './change-feed.test-kit.ts'
import { type EventFilter, listEvents } from './list-events.ts'
import { noteAccountChange, recordEvent } from './record-event.ts'

onEachDatabase('changes of accounts', ({ dialect, location }) => {
  test('are reported once per transaction and account, to every process', async () => {
    await using where = await location()
    await using one = await joinFeed(where)
    await using other = await joinFeed(where)
    await one.database.write(async (tx) => {
      for (const id of ['acc_1', 'acc_2', 'acc_1'] as const) noteAccountChange(tx, id)
    })
    assert.deepEqual(one.heard, ['acc_1', 'acc_2'])
    await until(() => other.heard.length >= 2)
    assert.deepEqual(other.heard, ['acc_1', 'acc_2'])
    await one.database.write(async () => {})
    assert.equal(one.heard.length, 2)
  })

  test('of a failed transaction are not reported', async () => {
    await using where = await location()
    await using one = await joinFeed(where)
    const work = one.database.write(async (tx) => {
      noteAccountChange(tx, 'acc_1')
      throw new Error('after all, no')
    })
    await assert.rejects(work)
    await one.feed.catchUp()
    assert.deepEqual(one.heard, [])
  })

  // SQLite only has one writer at a time.
  if (dialect === 'sqlite') return

  test("are recorded last, so that nobody holds the feed's lock while waiting for another", async () => {
    await using where = await location()
    await using one = await joinFeed(where)
    const noted = Promise.withResolvers<void>()
    const goOn = Promise.withResolvers<void>()
    const long = one.database.write(async (tx) => {
      noteAccountChange(tx, 'acc_1')
      noted.resolve()
      await goOn.promise
      await lock(one.database, tx, 'another')
    })
    await noted.promise
    await one.database.write(async (tx) => {
      await lock(one.database, tx, 'another')
      goOn.resolve()
      await one.feed.record(tx, { kind: 'project', subject: 'a' })
    })
    await long
    assert.deepEqual(one.heard, ['a', 'acc_1'])
  })
})

const by = { kind: 'person', id: 'usr_1', name: 'Ada' } as const

async function addAccount(database: Database, id: Id<'account'>): Promise<Id<'account'>> {
  const limits = { limit_per_minute: null, limit_per_day: null }
  await database.write((tx) =>
    tx
      .insertInto('accounts')
      .values({ id, name: 'Team', plan: 'free', created_at: 1, ...limits })
      .execute(),
  )
  return id
}

onEachDatabase('events', ({ open }) => {
  test('an event of a failed transaction is not recorded', async () => {
    await using database = await open()
    const context = { database, now: () => 1 }
    const accountId = await addAccount(database, 'acc_1')
    const work = database.write(async (tx) => {
      await recordEvent(tx, { accountId, type: 'project.created', by, at: 2 })
      throw new Error('after all, no')
    })
    await assert.rejects(work)
    assert.deepEqual((await listEvents(context, accountId, { limit: 10 })).items, [])
    await database.write((tx) => recordEvent(tx, { accountId, type: 'project.created', by, at: 3 }))
    const { items } = await listEvents(context, accountId, { limit: 10 })
    assert.deepEqual(
      items.map(({ type, at, actor, data, projectId }) => ({ type, at, actor, data, projectId })),
      [{ type: 'project.created', at: '1970-01-01T00:00:00.003Z', actor: by, data: {}, projectId: null }],
    )
  })

  test('pages are newest first, even within a millisecond, and stay within the account', async () => {
    await using database = await open()
    const context = { database, now: () => 1 }
    const accounts = [await addAccount(database, 'acc_1'), await addAccount(database, 'acc_2')]
    await database.write(async (tx) => {
      for (let n = 0; n < 5; n++) {
        for (const accountId of accounts) {
          await recordEvent(tx, { accountId, type: 'project.changed', by, at: 5, data: { n } })
        }
      }
    })
    const seen: unknown[] = []
    let cursor: string | undefined
    do {
      const page = await listEvents(context, 'acc_1', { limit: 2, cursor })
      seen.push(...page.items.map(({ data }) => data.n))
      cursor = page.next ?? undefined
    } while (cursor !== undefined)
    assert.deepEqual(seen, [4, 3, 2, 1, 0])
  })

  test('pages of one kind or one project are full, however much else happened in between', async () => {
    await using database = await open()
    const context = { database, now: () => 1 }
    const accountId = await addAccount(database, 'acc_1')
    const [one, other] = ['prj_1', 'prj_2'] as const
    await database.write(async (tx) => {
      for (let n = 0; n < 5; n++) {
        const of = { accountId, by, at: n, data: { n } }
        await recordEvent(tx, { ...of, type: 'project.changed', projectId: one })
        await recordEvent(tx, { ...of, type: 'deployment.ready', projectId: one })
        await recordEvent(tx, { ...of, type: 'project.changed', projectId: other })
        await recordEvent(tx, { ...of, type: 'key.created' })
      }
    })
    const read = async (filter: EventFilter) => {
      const seen: string[] = []
      for (let cursor: string | undefined | null; cursor !== null; ) {
        const page = await listEvents(context, accountId, { limit: 2, cursor, ...filter })
        seen.push(...page.items.map(({ type, projectId, data }) => `${type} ${projectId} ${data.n}`))
        cursor = page.next
      }
      return seen
    }
    const newestFirst = [4, 3, 2, 1, 0]
    assert.deepEqual(
      await read({ kind: 'key' }),
      newestFirst.map((n) => `key.created null ${n}`),
    )
    assert.deepEqual(
      await read({ kind: 'project', projectId: one }),
      newestFirst.map((n) => `project.changed prj_1 ${n}`),
    )
    assert.equal((await read({ projectId: one })).length, 10)
    assert.deepEqual(await read({ kind: 'member' }), [])
    assert.equal((await read({})).length, 20)
  })
})
