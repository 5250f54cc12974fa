import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { hour } from '../clock.ts'
import { type Database, openDatabase } from '../database/database.ts'
import { onEachDatabase } from '../database/each-database.test-kit.ts'
import { type Change, type ChangeFeed, openChangeFeed } from './change-feed.ts'

interface Listening extends AsyncDisposable {
  database: Database
  feed: ChangeFeed
  heard: (string | null)[]
  warnings: object[]
  tell(subject: string): Promise<void>
}

const clock = { at: Date.UTC(2030, 0, 1) }

/** One process with its feed. */
async function listen(location: Parameters<typeof openDatabase>[0]): Promise<Listening> {
  const warnings: object[] = []
  const log = { warn: (details: object) => void warnings.push(details) }
  const database = await openDatabase(location, log)
  const feed = await openChangeFeed({ database, now: () => clock.at }, log)
  const heard: (string | null)[] = []
  feed.subscribe((change: Change | null) => heard.push(change === null ? null : change.subject))
  return {
    database,
    feed,
    heard,
    warnings,
    tell: (subject) => database.write((tx) => feed.record(tx, { kind: 'project', subject })),
    async [Symbol.asyncDispose]() {
      feed.close()
      await database.close()
    },
  }
}

onEachDatabase('the change feed', ({ dialect, location }) => {
  test('a change of this process is heard before its writer is told that it is done', async () => {
    await using where = await location()
    await using one = await listen(where)
    await one.tell('a')
    assert.deepEqual(one.heard, ['a'])
    await Promise.all([one.tell('b'), one.tell('c').then(() => assert.ok(one.heard.includes('c')))])
    assert.deepEqual(one.heard.toSorted(), ['a', 'b', 'c'])
  })

  test('a change of another process is heard without being asked for', async () => {
    await using where = await location()
    await using one = await listen(where)
    await using other = await listen(where)
    await one.tell('a')
    while (other.heard.length === 0) await sleep(20)
    assert.deepEqual(other.heard, ['a'])
  })

  test('who listens from now on hears nothing of the past', async () => {
    await using where = await location()
    await using one = await listen(where)
    await one.tell('a')
    await using other = await listen(where)
    await other.feed.catchUp()
    assert.deepEqual(other.heard, [])
  })

  test('changes that were forgotten while a process was away make it trust nothing', async (t) => {
    await using where = await location()
    await using one = await listen(where)
    t.mock.timers.enable({ apis: ['setInterval'] })
    await using away = await listen(where)
    await one.tell('a')
    clock.at += 2 * hour
    await one.tell('b')
    await one.tell('c')
    await away.feed.catchUp()
    assert.deepEqual(away.heard, [null, 'c'])
    assert.deepEqual(one.heard, ['a', 'b', 'c'])
  })

  test('a change that was rolled back is not heard', async () => {
    await using where = await location()
    await using one = await listen(where)
    const work = one.database.write(async (tx) => {
      await one.feed.record(tx, { kind: 'project', subject: 'never' })
      throw new Error('after all, no')
    })
    await assert.rejects(work)
    await one.feed.catchUp()
    assert.deepEqual(one.heard, [])
    await one.tell('a')
    assert.equal(one.heard.length, 1)
  })

  test('a feed that cannot be read does not fail the write, and catches up later', async () => {
    await using where = await location()
    await using one = await listen(where)
    await one.database.write(async (tx) => {
      await one.feed.record(tx, { kind: 'project', subject: 'a' })
      await sql`alter table changes rename to hidden`.execute(tx)
    })
    assert.deepEqual(one.heard, [])
    assert.equal(one.warnings.length, 1)
    await one.database.write((tx) => sql`alter table hidden rename to changes`.execute(tx))
    assert.deepEqual(one.heard, ['a'])
  })

  test('a change that is committed late is not overtaken by one with a later number', async () => {
    await using where = await location()
    await using one = await listen(where)
    await using other = await listen(where)
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
    await using one = await listen(where)
    await using other = await listen(where)
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
