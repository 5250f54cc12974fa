import assert from 'node:assert/strict'
import { test } from 'node:test'
import { onEachDatabase } from './each-database.test-kit.ts'

onEachDatabase('what is written later', ({ open }) => {
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
})
