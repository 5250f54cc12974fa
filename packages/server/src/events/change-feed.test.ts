import assert from 'node:assert/strict'
import { join } from 'node:path'
import { mock, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { temporaryFolder } from '@masthead/testing/temporary-folder.ts'
import { until } from '@masthead/testing/until.ts'
import { sql } from 'kysely'
import { onEachDatabase } from '../database/each-database.test-kit.ts'
import { hour } from '../kernel/clock.ts'
import { joinFeed } from './change-feed.test-kit.ts'

onEachDatabase('the change feed', ({ dialect, location }) => {
  test('a change of this process is reported before its write resolves', async () => {
    await using where = await location()
    await using one = await joinFeed(where)
    await one.tell('a')
    assert.deepEqual(one.heard, ['a'])
    await Promise.all([one.tell('b'), one.tell('c').then(() => assert.ok(one.heard.includes('c')))])
    assert.deepEqual(one.heard.toSorted(), ['a', 'b', 'c'])
  })

  test('a change of another process is reported automatically', async () => {
    await using where = await location()
    await using one = await joinFeed(where)
    await using other = await joinFeed(where)
    await one.tell('a')
    await until(() => other.heard.length > 0)
    assert.deepEqual(other.heard, ['a'])
  })

  test('a change without a notification is found by polling', async () => {
    await using where = await location()
    await using one = await joinFeed(where)
    await using other = await joinFeed(where, { isTold: false, hasNet: true })
    await one.tell('a')
    await until(() => other.heard.length > 0)
    assert.deepEqual(other.heard, ['a'])
  })

  test('a new listener does not get past changes', async () => {
    await using where = await location()
    await using one = await joinFeed(where)
    await one.tell('a')
    await using other = await joinFeed(where)
    await other.feed.catchUp()
    assert.deepEqual(other.heard, [])
  })

  test('a process that missed deleted changes trusts nothing', async () => {
    await using where = await location()
    await using one = await joinFeed(where)
    await using away = await joinFeed(where, { isTold: false })
    await one.tell('a')
    one.clock.at += 2 * hour
    away.clock.at += 2 * hour
    await one.tell('b')
    await one.tell('c')
    await away.feed.catchUp()
    assert.deepEqual(away.heard, [null, 'b', 'c'])
    assert.deepEqual(one.heard, ['a', 'b', 'c'])
    await one.tell('d')
    await away.feed.catchUp()
    assert.deepEqual(away.heard, [null, 'b', 'c', 'd'])
  })

  test('a process that was away for less than the retention time gets all changes, despite skipped numbers', async () => {
    await using where = await location()
    await using one = await joinFeed(where)
    await using away = await joinFeed(where, { isTold: false })
    await one.tell('a')
    await one.skipNumber()
    one.clock.at += hour / 2
    away.clock.at += hour / 2
    await one.tell('b')
    await away.feed.catchUp()
    assert.deepEqual(away.heard, ['a', 'b'])
  })

  test('a process that was away for long gets all changes if none were deleted', async () => {
    await using where = await location()
    await using one = await joinFeed(where)
    await using away = await joinFeed(where, { isTold: false })
    away.clock.at += 2 * hour
    await one.tell('a')
    await away.feed.catchUp()
    assert.deepEqual(away.heard, ['a'])
  })

  test('after more than an hour without changes the next one is reported, and nothing else is distrusted', async () => {
    await using where = await location()
    await using one = await joinFeed(where)
    await using other = await joinFeed(where, { isTold: false })
    await one.tell('a')
    await other.feed.catchUp()
    one.clock.at += 2 * hour
    other.clock.at += 2 * hour
    for (const reader of [one, other]) await reader.feed.catchUp()
    await one.skipNumber()
    await one.tell('b')
    await other.feed.catchUp()
    assert.deepEqual(
      [one.heard, other.heard],
      [
        ['a', 'b'],
        ['a', 'b'],
      ],
    )
  })

  test('after a restore nothing is trusted, and reading continues from there', async () => {
    await using where = await location()
    await using one = await joinFeed(where, { isTold: false })
    await using other = await joinFeed(where, { isTold: false })
    for (const subject of ['a', 'b', 'c']) await one.tell(subject)
    await other.feed.catchUp()
    for (const seq of [1, 0]) {
      other.heard.length = 0
      await one.restoreTo(seq)
      for (const reader of [other, other, one]) await reader.feed.catchUp()
      assert.deepEqual(other.heard, [null])
      await one.tell('d')
      await other.feed.catchUp()
      assert.deepEqual(other.heard, [null, 'd'])
    }
  })

  test('a restored database with the same sequence number is not mistaken for the previous one', async () => {
    await using where = await location()
    await using one = await joinFeed(where, { isTold: false })
    await using other = await joinFeed(where, { isTold: false })
    for (const subject of ['a', 'b', 'c']) await one.tell(subject)
    await other.feed.catchUp()
    await one.restoreTo(1)
    for (const subject of ['d', 'e', 'f']) await one.tell(subject)
    await other.feed.catchUp()
    assert.deepEqual(other.heard, ['a', 'b', 'c', null, 'f'])
  })

  test('a replica that lacks the latest changes is not trusted, although its numbers continue', async () => {
    await using where = await location()
    await using one = await joinFeed(where, { isTold: false })
    await using other = await joinFeed(where, { isTold: false })
    for (const subject of ['a', 'b', 'c']) await one.tell(subject)
    await other.feed.catchUp()
    await one.restoreTo(1)
    // A replica continues with slightly higher numbers than it received.
    for (let number = 2; number <= 20; number++) await one.skipNumber()
    await one.tell('d')
    await other.feed.catchUp()
    assert.deepEqual(other.heard, ['a', 'b', 'c', null, 'd'])
  })

  test('an unknown change of a newer version makes it trust nothing', async () => {
    await using where = await location()
    await using one = await joinFeed(where)
    const row = { kind: 'moon', subject: 'full', at: one.clock.at }
    await one.database.write((tx) => tx.insertInto('changes').values(row).execute())
    await one.tell('a')
    assert.deepEqual(one.heard, [null, 'a'])
  })

  test('any number of changes is reported, in order', async () => {
    await using where = await location()
    await using one = await joinFeed(where)
    const subjects = Array.from({ length: 2500 }, (_, n) => String(n))
    const rows = subjects.map((subject) => ({ kind: 'project', subject, at: one.clock.at }))
    await one.database.write((tx) => tx.insertInto('changes').values(rows).execute())
    assert.deepEqual(one.heard, subjects)
  })

  test('a rolled-back change is not reported', async () => {
    await using where = await location()
    await using one = await joinFeed(where)
    const work = one.database.write(async (tx) => {
      await one.feed.record(tx, { kind: 'project', subject: 'never' })
      throw new Error('after all, no')
    })
    await assert.rejects(work)
    await one.feed.catchUp()
    assert.deepEqual(one.heard, [])
    await one.tell('a')
    assert.deepEqual(one.heard, ['a'])
  })

  test('a feed that cannot be read does not fail the write, and catches up later', async () => {
    await using where = await location()
    await using one = await joinFeed(where)
    await one.database.write(async (tx) => {
      await one.feed.record(tx, { kind: 'project', subject: 'a' })
      await sql`alter table changes rename to hidden`.execute(tx)
    })
    assert.deepEqual(one.heard, [])
    assert.notEqual(one.warnings.length, 0)
    await one.database.write((tx) => sql`alter table hidden rename to changes`.execute(tx))
    assert.deepEqual(one.heard, ['a'])
  })

  test('many changes of one transaction take few statements, and every process hears all of them', async (t) => {
    await using where = await location()
    await using one = await joinFeed(where)
    await using other = await joinFeed(where)
    const subjects = Array.from({ length: 1_200 }, (_, n) => String(n))
    await one.database.write(async (tx) => {
      const inserts = t.mock.method(tx, 'insertInto')
      await one.feed.record(tx, ...subjects.map((subject) => ({ kind: 'project', subject }) as const))
      assert.equal(inserts.mock.callCount(), 3)
    })
    await other.feed.catchUp()
    assert.deepEqual([one.heard, other.heard], [subjects, subjects])
  })

  test('a change that is committed late is not overtaken by one with a later number', async () => {
    await using where = await location()
    await using one = await joinFeed(where)
    await using other = await joinFeed(where)
    const recorded = Promise.withResolvers<void>()
    const goOn = Promise.withResolvers<void>()
    const late = one.database.write(async (tx) => {
      await one.feed.record(tx, { kind: 'project', subject: 'late' })
      recorded.resolve()
      await goOn.promise
    })
    await recorded.promise
    const next = one.tell('next')
    await sleep(100)
    await other.feed.catchUp()
    goOn.resolve()
    await Promise.all([late, next])
    await other.feed.catchUp()
    assert.deepEqual(
      [one.heard, other.heard],
      [
        ['late', 'next'],
        ['late', 'next'],
      ],
    )
  })

  test('with many writers every reader gets every change once, in commit order', async () => {
    await using where = await location()
    await using one = await joinFeed(where)
    await using other = await joinFeed(where)
    const subjects = Array.from({ length: 40 }, (_, n) => String(n))
    let writing = true
    const reading = (async () => {
      for (; writing; await sleep(1)) await other.feed.catchUp()
    })()
    // SQLite blocks the thread while waiting for another writer, so two of them need two processes.
    const second = dialect === 'sqlite' ? one : other
    await Promise.all(subjects.map((subject, n) => (n % 2 ? one : second).tell(subject)))
    writing = false
    await reading
    for (const process of [one, other]) await process.feed.catchUp()
    const rows = await one.database.read.selectFrom('changes').select('subject').orderBy('seq').execute()
    assert.deepEqual(
      other.heard,
      rows.map(({ subject }) => subject),
    )
    assert.deepEqual(one.heard, other.heard)
    assert.deepEqual(new Set(one.heard), new Set(subjects))
    assert.equal(one.heard.length, subjects.length)
  })
})

test('a process without notifications polls once a second', { timeout: 20_000 }, async () => {
  await using folder = await temporaryFolder('masthead-feed')
  const where = { dialect: 'sqlite', file: join(folder.path, 'masthead.db') } as const
  await using one = await joinFeed(where)
  mock.timers.enable({ apis: ['setInterval'] })
  try {
    await using other = await joinFeed(where)
    await one.tell('a')
    mock.timers.tick(999)
    await sleep(50)
    assert.deepEqual(other.heard, [])
    mock.timers.tick(1)
    await until(() => other.heard.length > 0)
  } finally {
    mock.timers.reset()
  }
})
