import assert from 'node:assert/strict'
import { test } from 'node:test'
import { onEachDatabase } from '../database/each-database.test-kit.ts'
import { minute } from '../kernel/clock.ts'
import { createSealing } from '../secrets/sealing.ts'
import { openSiteKey } from '../secrets/site-key.ts'
import { useTicket } from './use-ticket.ts'

onEachDatabase('a ticket', (databases) => {
  test('is used once, by whichever node is first, and all nodes have the same key', async () => {
    await using database = await databases.open()
    const clock = { at: 1_000_000 }
    const context = { database, now: () => clock.at }
    const ticket = { id: 'one', usableUntil: clock.at + minute }
    const uses = await Promise.all([useTicket(context, ticket), useTicket(context, ticket)])
    assert.deepEqual(uses.sort(), [false, true])
    clock.at += 2 * minute
    assert.equal(await useTicket(context, { id: 'two', usableUntil: clock.at + minute }), true)
    const rows = await database.read.selectFrom('used_tickets').select('id').execute()
    assert.deepEqual(
      rows.map(({ id }) => id),
      ['two'],
    )

    const sealing = createSealing([Buffer.alloc(32, 1)])
    const [key, same] = await Promise.all([
      openSiteKey({ ...context, sealing }),
      openSiteKey({ ...context, sealing }),
    ])
    assert.equal(key.length, 32)
    assert.deepEqual(key, same)
  })
})
