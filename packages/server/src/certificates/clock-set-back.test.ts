import assert from 'node:assert/strict'
import { test } from 'node:test'
import { skipWithout } from '@masthead/testing/peers/peers.ts'
import { onEachDatabase } from '../database/each-database.test-kit.ts'
import { createRetryFromFuture } from '../database/from-future.ts'
import { day, hour } from '../kernel/clock.ts'
import { startPebbleCa } from './issuing.test-kit.ts'
import { findJob } from './jobs/job-store.ts'
import { renewDue } from './renew.ts'

const skip = skipWithout('pebble')
const silent = { warn: () => {} }
const limits = [{ count: 300, within: 3 * hour, per: 'account', of: 'orders' } as const]

onEachDatabase('after a clock that was a year ahead was set back', ({ open }) => {
  test('names that failed meanwhile are tried again, and the budget allows orders', { skip }, async () => {
    await using ca = await startPebbleCa()
    await using database = await open()
    const clock = { ahead: 365 * day }
    await using node = await ca.startWorking(database, { authority: { limits } }, { clock })
    // By this clock, everything that the CA creates has expired.
    await node.request('www.acme.test')
    await node.until(async () => (await node.state('www.acme.test')).attempts === 1)
    clock.ahead = 0
    await node.get('www.other.test')
    await createRetryFromFuture(database)(Date.now())
    await node.untilValid('www.acme.test')
    assert.equal(ca.orders.length, 3)
  })

  test('a certificate that seemed to have expired is renewed when it is due', { skip }, async () => {
    await using ca = await startPebbleCa()
    await using database = await open()
    const clock = { ahead: 0 }
    await using node = await ca.startWorking(database, {}, { clock })
    await node.get('www.acme.test')
    const row = () => database.read.selectFrom('certificates').selectAll().executeTakeFirstOrThrow()
    const { renew_at, not_after, serial } = await row()
    clock.ahead = not_after - Date.now() + day
    await renewDue(node.context, silent)
    await node.until(async () => (await node.state('www.acme.test')).attempts === 1)
    assert.equal((await row()).serial, serial)
    clock.ahead = 0
    await createRetryFromFuture(database)(Date.now())
    await node.until(async () => (await findJob(database.read, 'www.acme.test')) === undefined)
    clock.ahead = renew_at - Date.now()
    await renewDue(node.context, silent)
    assert.equal((await findJob(database.read, 'www.acme.test'))?.reason, 'renewal')
  })
})
