import assert from 'node:assert/strict'
import { test } from 'node:test'
import { onEachDatabase } from './each-database.test-kit.ts'
import { createInstallationId, findInstallationId } from './installation-id.ts'

onEachDatabase('the id of an installation', ({ open }) => {
  test('is created once, also by several processes at once', async () => {
    await using database = await open()
    const context = { database, now: () => 1 }
    assert.equal(await findInstallationId(database.read), null)
    await Promise.all([1, 2, 3].map(() => createInstallationId(context)))
    const id = await findInstallationId(database.read)
    await createInstallationId(context)
    const rows = await database.read.selectFrom('installation').selectAll().execute()
    assert.deepEqual(
      rows.map((row) => row.id),
      [id],
    )
  })
})
