import assert from 'node:assert/strict'
import { test } from 'node:test'
import { until } from '@masthead/testing/until.ts'
import { openDatabase, type Tx } from './database.ts'
import { onEachDatabase } from './each-database.test-kit.ts'
import { untilWaiting } from './interleave.test-kit.ts'

onEachDatabase('what is written later', (databases) => {
  const { open } = databases
  const insert = (id: string) => ({
    id: `acc_${id}` as const,
    name: id,
    plan: 'free' as const,
    created_at: 1,
  })

  test('is done once settled, only the latest per subject', async () => {
    await using database = await open()
    const done: string[] = []
    for (let n = 0; n < 250; n++) {
      database.writeLater(`subject ${n % 120}`, async () => void done.push(`${n}`))
    }
    await database.settled()
    assert.ok(done.length < 250)
    assert.equal(new Set(done).size, done.length)
    for (let n = 130; n < 250; n++) assert.ok(done.includes(`${n}`), `${n} is the latest of its subject`)
  })

  test('is tried again after a deadlock, once', async () => {
    await using database = await open()
    const done: string[] = []
    const failing = (subject: string, failures: number) =>
      database.writeLater(subject, async () => {
        done.push(subject)
        if (done.length <= failures) throw Object.assign(new Error('deadlock detected'), { code: '40P01' })
      })
    failing('a', 1)
    await database.settled()
    assert.deepEqual(done.splice(0), ['a', 'a'])
    failing('b', 9)
    await database.settled()
    assert.deepEqual(done, ['b', 'b'])
  })

  test('may fail silently, and later ones are written', async () => {
    await using database = await open()
    database.writeLater('a', async () => {
      throw new Error('full')
    })
    await database.settled()
    database.writeLater('b', async (tx) => {
      await tx.insertInto('accounts').values(insert('b')).execute()
    })
    await database.settled()
    const rows = await database.read.selectFrom('accounts').select('id').execute()
    assert.deepEqual(
      rows.map(({ id }) => id),
      ['acc_b'],
    )
  })

  // A database on SQLite has one node.
  if (databases.dialect === 'sqlite') return

  test('is written by two nodes at once without a deadlock, whatever order they saw it in', async () => {
    await using location = await databases.location()
    const warned: object[] = []
    const log = { warn: (details: object) => void warned.push(details) }
    const one = await openDatabase(location, log)
    const two = await openDatabase(location, log)
    const ids = ['a', 'b'] as const
    await one.write(async (tx) => {
      for (const id of ids) await tx.insertInto('accounts').values(insert(id)).execute()
    })
    const written: string[] = []
    const otherHasOne = Promise.withResolvers<void>()
    const rename = async (tx: Tx, id: string, name: string) => {
      await tx.updateTable('accounts').set({ name }).where('id', '=', `acc_${id}`).execute()
      written.push(`${name} ${id}`)
    }
    for (const id of ids) {
      one.writeLater(id, async (tx) => {
        await rename(tx, id, 'one')
        await Promise.race([otherHasOne.promise, untilWaiting(one, 1)])
      })
    }
    for (const id of ids.toReversed()) {
      two.writeLater(id, async (tx) => {
        await rename(tx, id, 'two')
        otherHasOne.resolve()
      })
    }
    const first = one.settled()
    await until(() => written.length > 0)
    await Promise.all([first, two.settled()])
    assert.deepEqual(written, ['one a', 'one b', 'two a', 'two b'])
    assert.deepEqual(warned, [])
    for (const node of [one, two]) await node.close()
  })
})
