import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hour } from '../clock.ts'
import { onEachDatabase } from '../database/each-database.test-kit.ts'
import { masterKey } from './issuing.test-kit.ts'
import { createSealing } from './sealing.ts'
import { currentTicketKeys } from './ticket-keys.ts'

const begin = Date.UTC(2030, 0, 1)

onEachDatabase('ticket keys', ({ open }) => {
  test('all processes that ask at once get the same key', async () => {
    await using database = await open()
    const context = { database, now: () => begin, sealing: createSealing([masterKey]) }
    const asked = await Promise.all(Array.from({ length: 8 }, () => currentTicketKeys(context)))
    for (const { keys, nextAt } of asked) {
      assert.deepEqual(keys, asked[0]?.keys)
      assert.equal(keys[0]?.length, 48)
      assert.equal(nextAt, begin + 12 * hour)
    }
  })

  test('a new one comes every 12 hours and first; old ones are kept for 36', async () => {
    await using database = await open()
    const clock = { at: begin }
    const context = { database, now: () => clock.at, sealing: createSealing([masterKey]) }
    const made: Buffer[] = []
    for (let round = 0; round < 4; round++) {
      const { keys } = await currentTicketKeys(context)
      made.unshift(keys[0] ?? assert.fail())
      assert.deepEqual(keys, made.slice(0, 3))
      clock.at += 12 * hour - 1
      assert.deepEqual((await currentTicketKeys(context)).keys[0], made[0])
      clock.at += 1
    }
    assert.equal(new Set(made.map(String)).size, 4)
    const rows = await database.read.selectFrom('ticket_keys').select('sealed_key').execute()
    assert.equal(rows.length, 3)
  })
})
