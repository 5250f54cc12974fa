import assert from 'node:assert/strict'
import { join } from 'node:path'
import { mock, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { temporaryFolder } from '@masthead/testing/temporary-folder.ts'
import { sql } from 'kysely'
import { onEachDatabase } from '../database/each-database.test-kit.ts'
import { hour } from '../kernel/clock.ts'
import { joinFeed } from './change-feed.test-kit.ts'

onEachDatabase('the change feed', ({ dialect, location }) => {
  test('a change of this process is heard before its writer is told that it is done', async () => {
    await using where = await location()
    await using one = await joinFeed(where)
    await one.tell('a')
    assert.deepEqual(one.heard, ['a'])
    await Promise.all([one.tell('b'), one.tell('c').then(() => assert.ok(one.heard.includes('c')))])
    assert.deepEqual(one.heard.toSorted(), ['a', 'b', 'c'])
  })

  test('a change of another process is heard without being asked for', async () => {
    await using where = await location()
    await using one = await joinFeed(where)
    await using other = await joinFeed(where)
    await one.tell('a')
    while (other.heard.length === 0) await sleep(20)
    assert.deepEqual(other.heard, ['a'])
  })

  test('a change that nobody was notified of is found by looking', async () => {
    await using where = await location()
    await using one = await joinFeed(where)
    await using other = await joinFeed(where, { isTold: false, hasNet: true })
    await one.tell('a')
    while (other.heard.length === 0) await sleep(20)
    assert.deepEqual(other.heard, ['a'])
  })

  test('who listens from now on hears nothing of the past', async () => {
    await using where = await location()
    await using one = await joinFeed(where)
    await one.tell('a')
    await using other = await joinFeed(where)
    await other.feed.catchUp()
    assert.deepEqual(other.heard, [])
  })

  test('changes that were forgotten while a process was away make it trust nothing', async () => {
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

  test('a process that was away for less than changes are kept hears them all, skipped numbers or not', async () => {
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

  test('a process that was away for long hears all where nothing was forgotten', async () => {
    await using where = await location()
    await using one = await joinFeed(where)
    await using away = await joinFeed(where, { isTold: false })
    away.clock.at += 2 * hour
    await one.tell('a')
    await away.feed.catchUp()
    assert.deepEqual(away.heard, ['a'])
  })

  test('after more than an hour without changes the next one is heard, and nothing else is distrusted', async () => {
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

  test('a database that was restored is trusted in nothing, and heard from there on', async () => {
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

  test('a restored database that has caught up in numbers is not taken for the one before', async () => {
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

  test('a replica that lacks the last changes is trusted in nothing, although its numbers go on', async () => {
    await using where = await location()
    await using one = await joinFeed(where, { isTold: false })
    await using other = await joinFeed(where, { isTold: false })
    for (const subject of ['a', 'b', 'c']) await one.tell(subject)
    await other.feed.catchUp()
    await one.restoreTo(1)
    // A replica continues some numbers later than it was told of.
    for (let number = 2; number <= 20; number++) await one.skipNumber()
    await one.tell('d')
    await other.feed.catchUp()
    assert.deepEqual(other.heard, ['a', 'b', 'c', null, 'd'])
  })

  test('what a newer version tells, and this one does not understand, makes it trust nothing', async () => {
    await using where = await location()
    await using one = await joinFeed(where)
    const row = { kind: 'moon', subject: 'full', at: one.clock.at }
    await one.database.write((tx) => tx.insertInto('changes').values(row).execute())
    await one.tell('a')
    assert.deepEqual(one.heard, [null, 'a'])
  })

  test('any number of changes at once is heard, in order', async () => {
    await using where = await location()
    await using one = await joinFeed(where)
    const subjects = Array.from({ length: 2500 }, (_, n) => String(n))
    const rows = subjects.map((subject) => ({ kind: 'project', subject, at: one.clock.at }))
    await one.database.write((tx) => tx.insertInto('changes').values(rows).execute())
    assert.deepEqual(one.heard, subjects)
  })

  test('a change that was rolled back is not heard', async () => {
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

  test('with many writers every reader hears every change once, in the order of the commits', async () => {
    await using where = await location()
    await using one = await joinFeed(where)
    await using other = await joinFeed(where)
    const subjects = Array.from({ length: 40 }, (_, n) => String(n))
    let writing = true
    const reading = (async () => {
      for (; writing; await sleep(1)) await other.feed.catchUp()
    })()
    // SQLite waits for another writer without letting go of the thread, so two of them need two processes.
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

test('whoever is not notified looks once a second', { timeout: 20_000 }, async () => {
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
    while (other.heard.length === 0) await sleep(5)
  } finally {
    mock.timers.reset()
  }
})
