import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Id } from '@masthead/contract/schemas/fields.ts'
import { compileOnce, compileOncePerLength } from './compile-once.ts'
import type { Database } from './database.ts'
import { onEachDatabase } from './each-database.test-kit.ts'

const ids = Array.from({ length: 120 }, (_, n) => `acc_${String(n).padStart(3, '0')}` as const)

async function addAccounts(database: Database): Promise<void> {
  const rows = ids.map((id, n) => ({ id, name: `Name ${n % 3}`, plan: 'free' as const, created_at: n }))
  await database.write((tx) => tx.insertInto('accounts').values(rows).execute())
}

let builds = 0
const named = compileOnce((db, { name, from, limit }: { name: string; from: number; limit: number }) => {
  builds++
  return db
    .selectFrom('accounts')
    .select('id')
    .where('plan', '=', 'free')
    .where('name', '=', name)
    .where('created_at', '>=', from)
    .where((e) => e.or([e('name', '=', name), e('name', '=', 'never')]))
    .orderBy('id')
    .limit(limit)
})
const among = compileOncePerLength((db, wanted: readonly Id<'account'>[]) =>
  db.selectFrom('accounts').select('id').where('id', 'in', wanted).orderBy('id'),
)

onEachDatabase('a query that is compiled once', ({ open }) => {
  test('is built once per kind of database, and uses the values of each call', async () => {
    await using database = await open()
    await addAccounts(database)
    const before = builds
    for (const [name, from, limit, found] of [
      ['Name 0', 0, 2, ['acc_000', 'acc_003']],
      ['Name 1', 2, 3, ['acc_004', 'acc_007', 'acc_010']],
      ["'; drop table accounts; --", 0, 9, []],
      ['Name 2', 119, 9, ['acc_119']],
    ] as const) {
      const rows = await named(database, { name, from, limit })
      assert.deepEqual(
        rows.map(({ id }) => id),
        found,
      )
    }
    await Promise.all([1, 2, 3].map((limit) => named(database, { name: 'Name 0', from: 0, limit })))
    assert.ok(builds <= before + 1, `built ${builds - before} times`)
  })

  test('takes a list of any length', async () => {
    await using database = await open()
    await addAccounts(database)
    for (const length of [0, 1, 2, 1, 20, 99, 100, 101, 120, 2]) {
      for (const wanted of [ids.slice(0, length), ids.slice(-length || ids.length)]) {
        const rows = await among(database, wanted)
        assert.deepEqual(
          rows.map(({ id }) => id),
          wanted,
        )
      }
    }
    const [only, ...others] = await among(database, ['acc_none', 'acc_001'])
    assert.deepEqual([only?.id, others], ['acc_001', []])
  })
})
