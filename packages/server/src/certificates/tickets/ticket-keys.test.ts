import assert from 'node:assert/strict'
import { mock, test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import type { Database } from '../../database/database.ts'
import { onEachDatabase } from '../../database/each-database.test-kit.ts'
import { hour } from '../../kernel/clock.ts'
import { createSealing } from '../../secrets/sealing.ts'
import { masterKey } from '../issuing.test-kit.ts'
import { currentTicketKey, startTicketKeyRotation } from './ticket-keys.ts'

const start = Date.UTC(2030, 0, 1)
const day = 24 * hour

function openContext(database: Database) {
  const clock = { at: start }
  return { clock, context: { database, now: () => clock.at, sealing: createSealing([masterKey]) } }
}

onEachDatabase('ticket keys', ({ open }) => {
  test('concurrent processes get the same key', async () => {
    await using database = await open()
    const { context } = openContext(database)
    const results = await Promise.all(Array.from({ length: 8 }, () => currentTicketKey(context)))
    for (const { key, nextAt } of results) {
      assert.deepEqual(key, results[0]?.key)
      assert.equal(key.length, 48)
      assert.equal(nextAt, start + 12 * hour)
    }
  })

  test('a new key replaces the old one every 12 hours', async () => {
    await using database = await open()
    const { clock, context } = openContext(database)
    const keys = new Set<string>()
    for (let round = 0; round < 4; round++) {
      const { key } = await currentTicketKey(context)
      keys.add(key.toString('hex'))
      clock.at += 12 * hour - 1
      assert.deepEqual((await currentTicketKey(context)).key, key)
      clock.at += 1
    }
    assert.equal(keys.size, 4)
    const rows = await database.read.selectFrom('ticket_keys').select('sealed_key').execute()
    assert.equal(rows.length, 1)
  })

  test('a clock set back far does not keep a key in use for longer', async () => {
    await using database = await open()
    const { clock, context } = openContext(database)
    const { key } = await currentTicketKey(context)
    clock.at -= hour
    assert.deepEqual((await currentTicketKey(context)).key, key)
    clock.at -= 100 * day
    const { key: other, nextAt } = await currentTicketKey(context)
    assert.notDeepEqual(other, key)
    assert.equal(nextAt, clock.at + 12 * hour)
  })

  test('a clock set back far does not cause a busy loop', async () => {
    await using database = await open()
    const { clock, context } = openContext(database)
    await currentTicketKey(context)
    const timers = mock.method(globalThis, 'setTimeout')
    try {
      // The clock is set back between finding the key and scheduling the next rotation.
      let calls = 0
      const now = () => (calls++ === 0 ? clock.at : clock.at - 100 * day)
      const rotation = await startTicketKeyRotation({ ...context, now }, { error: () => {} })
      const waits = timers.mock.calls.map(({ arguments: [, wait] }) => wait ?? 0)
      assert.ok(waits.includes(12 * hour), String(waits))
      assert.ok(waits.every((wait) => wait <= 12 * hour))
      rotation.close()
      await turn()
    } finally {
      timers.mock.restore()
    }
  })
})
