import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { lock } from '../database/database.ts'
import { onEachDatabase } from '../database/each-database.test-kit.ts'
import { noteAccountChange } from './account-changes.ts'
import { joinFeed } from './change-feed.test-kit.ts'

onEachDatabase('changes of accounts', ({ dialect, location }) => {
  test('are told once a transaction, for each account, to every process', async () => {
    await using where = await location()
    await using one = await joinFeed(where)
    await using other = await joinFeed(where)
    await one.database.write(async (tx) => {
      for (const id of ['acc_1', 'acc_2', 'acc_1'] as const) noteAccountChange(tx, id)
    })
    assert.deepEqual(one.heard, ['acc_1', 'acc_2'])
    while (other.heard.length < 2) await sleep(5)
    assert.deepEqual(other.heard, ['acc_1', 'acc_2'])
    await one.database.write(async () => {})
    assert.equal(one.heard.length, 2)
  })

  test('of a transaction that fails are not told', async () => {
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

  // SQLite has one writer at a time as it is.
  if (dialect === 'sqlite') return

  test('are told last of all, so that nobody who has the lock of the feed waits for another', async () => {
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
