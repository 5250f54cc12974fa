import assert from 'node:assert/strict'
import { test } from 'node:test'
import { onEachDatabase } from '../database/each-database.test-kit.ts'
import { sealedColumns } from './sealed-columns.ts'

/** Says which key is in use; a rotation reseals it separately, after everything else. */
const checkValue = 'master_key_check.sealed'

onEachDatabase('a rotation of the master key', ({ open }) => {
  test('covers every sealed column of the database', async () => {
    await using database = await open()
    const tables = await database.read.introspection.getTables()
    const found = tables.flatMap(({ name, columns }) =>
      columns.filter((column) => column.name.startsWith('sealed')).map((column) => `${name}.${column.name}`),
    )
    const listed = sealedColumns.map(({ table, column }) => `${table}.${column}`)
    // PostgreSQL lists the tables of every schema.
    assert.deepEqual([...new Set(found)].toSorted(), [...listed, checkValue].toSorted())
  })
})
