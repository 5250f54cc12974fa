import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { openDatabase } from './database.ts'
import { isStorageFull } from './database-errors.ts'

const silent = { warn: () => {} }

test('a database that may not grow says that storage is full, and goes on once it may', async () => {
  const database = await openDatabase({ dialect: 'sqlite', file: ':memory:' }, silent)
  const { rows } = await sql<{ page_count: number }>`pragma page_count`.execute(database.read)
  const allow = (pages: number) => sql.raw(`pragma max_page_count = ${pages}`).execute(database.read)
  const write = (id: string) =>
    database.write((tx) =>
      tx
        .insertInto('accounts')
        .values({ id: `acc_${id}`, name: 'x'.repeat(100_000), plan: 'free', created_at: 1 })
        .execute(),
    )
  await allow(rows[0]?.page_count ?? 0)
  await assert.rejects(write('a'), isStorageFull)
  await allow(1_000_000)
  await write('b')
  await database.close()
})

test('files and PostgreSQL say it in their own way, and other errors do not', () => {
  for (const code of ['ENOSPC', 'EDQUOT', '53100']) {
    assert.equal(isStorageFull(Object.assign(new Error('full'), { code })), true)
  }
  for (const error of [new Error('disk is full'), Object.assign(new Error(), { code: 'EACCES' }), null, 13]) {
    assert.equal(isStorageFull(error), false)
  }
})
