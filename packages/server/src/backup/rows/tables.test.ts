import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { onEachDatabase } from '../../database/each-database.test-kit.ts'
import { tableContents } from './tables.ts'

onEachDatabase('the list of tables', ({ open, dialect }) => {
  test('names every table that there is, and those that others refer to first', async () => {
    await using database = await open()
    const { rows } = await sql<{ name: string }>`${sql.raw(
      dialect === 'sqlite'
        ? `select name from sqlite_schema where type = 'table' and name not like 'sqlite_%'`
        : `select tablename as name from pg_tables where schemaname = current_schema()`,
    )}`.execute(database.read)
    const names = rows.map(({ name }) => name).filter((name) => name !== 'migrations')
    assert.deepEqual(names.sort(), Object.keys(tableContents).sort())
    if (dialect !== 'sqlite') return
    const order = Object.keys(tableContents)
    for (const [index, table] of order.entries()) {
      const keys = await sql<{
        table: string
      }>`select "table" from pragma_foreign_key_list(${table})`.execute(database.read)
      for (const key of keys.rows)
        assert.ok(order.indexOf(key.table) < index, `${table} refers to ${key.table}`)
    }
  })
})
