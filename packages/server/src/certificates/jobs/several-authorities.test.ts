import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { skipWithout } from '@masthead/testing/peers/peers.ts'
import { openSqlite } from '../../database/each-database.test-kit.ts'
import { hour } from '../../kernel/clock.ts'
import type { CaaLookUp } from '../caa/caa.ts'
import { startOwnPebbleCa, startPebbleCa } from '../issuing.test-kit.ts'
import { findCertificateRow } from '../store.ts'

const skip = skipWithout('pebble')
const name = 'www.acme.test'
const forbidding: CaaLookUp = async () => ({
  records: [{ critical: false, tag: 'issue', value: 'other.example' }],
})

describe('with several certificate authorities', () => {
  test('one that is stopped and one that CAA refuses are passed over, and it is told', { skip }, async () => {
    await using database = await openSqlite()
    await using stopped = await startOwnPebbleCa()
    await stopped.pebble.stop()
    await using ca = await startPebbleCa()
    const refused = ca.issuer({
      authority: { title: 'Refused', identities: ['refused.example'] },
      caaLookUp: forbidding,
    })
    const lenient = ca.issuer({ authority: { title: 'Lenient' } })
    await using node = await ca.startWorking(database, undefined, {
      issuer: stopped.issuer({ authority: { title: 'Stopped' } }),
      others: [refused, lenient],
    })
    await node.get(name)
    const told = node.progress.map(({ progress }) => progress)
    assert.deepEqual(
      told.map(({ step }) => step),
      ['ordered', 'installed'],
    )
    for (const progress of told) {
      assert.ok(progress.step === 'ordered' || progress.step === 'installed')
      assert.equal(progress.authority, 'Lenient')
      assert.deepEqual(
        progress.passedOver.map(({ authority, kind }) => [authority, kind]),
        [
          ['Stopped', 'unreachable'],
          ['Refused', 'caa_forbids'],
        ],
      )
    }
    assert.equal(ca.orders.length, 1)
    const { passedOver, status } = await node.state(name)
    assert.deepEqual(
      [status, passedOver.map(({ authority }) => authority)],
      ['valid', ['Stopped', 'Refused']],
    )
    // Each has its own account.
    const accounts = await database.read.selectFrom('acme_accounts').select(['directory', 'url']).execute()
    assert.equal(accounts.length, 2)
  })

  test('one without budget is passed over, and each has a budget of its own', { skip }, async () => {
    await using database = await openSqlite()
    await using first = await startOwnPebbleCa()
    await using second = await startPebbleCa()
    const limits = [{ count: 1, within: hour, per: 'account', of: 'orders' }] as const
    await using node = await second.startWorking(database, undefined, {
      issuer: first.issuer({ authority: { limits, title: 'First' } }),
      others: [second.issuer({ authority: { limits, title: 'Second' } })],
    })
    first.edge.node = node
    await node.get('a.acme.test')
    await node.get('b.acme.test')
    assert.deepEqual([first.orders.length, second.orders.length], [1, 1])
    const { issuer, passedOver } = await node.state('b.acme.test')
    assert.deepEqual([passedOver.map(({ kind }) => kind)], [['budget']])
    assert.equal((await findCertificateRow(database.read, 'b.acme.test'))?.issuer, second.pebble.directoryUrl)
    assert.notEqual(issuer, null)
    // No budget is left anywhere: the soonest is waited for.
    await node.request('c.acme.test')
    await node.until(async () => (await node.state('c.acme.test')).attempts === 1)
    const waiting = await node.state('c.acme.test')
    assert.equal(waiting.lastError?.kind, 'budget')
    assert.ok(Date.parse(waiting.nextAttemptAt ?? '') > Date.now())
  })

  test("a problem of the name is not another authority's to solve", { skip }, async () => {
    await using database = await openSqlite()
    await using first = await startPebbleCa()
    await using second = await startPebbleCa()
    first.edge.node = null
    // Only the edge of the second knows the answers to challenges.
    await using node = await second.startWorking(database, undefined, {
      issuer: first.issuer(),
      others: [second.issuer()],
    })
    await node.request(name)
    await node.until(async () => (await node.state(name)).attempts > 0)
    const failed = await node.state(name)
    assert.equal(failed.lastError?.kind, 'unauthorized')
    assert.equal(second.orders.length, 0)
  })
})
