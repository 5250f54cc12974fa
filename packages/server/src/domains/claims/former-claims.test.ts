import assert from 'node:assert/strict'
import { test } from 'node:test'
import { skipWithout } from '@masthead/testing/peers/peers.ts'
import { onEachDatabase } from '../../database/each-database.test-kit.ts'
import { day, minute } from '../../kernel/clock.ts'
import { apex, by, log, outcome, provedApex, startChecking, stopsOf, txt } from '../checking.test-kit.ts'
import { reconcileDue } from '../lifecycle.ts'
import { removeProject } from './remove-project.ts'
import { pruneTombstones } from './tombstones.ts'

const skip = skipWithout('knot')

onEachDatabase('an apex that was in other hands', ({ open }) => {
  test('the seller of an apex does not get it back through the addresses its buyer sets', {
    skip,
  }, async () => {
    for (const state of ['failed', 'pending'] as const) {
      await using database = await open()
      await using checking = await startChecking(database, { 'acme.test': apex })
      const seller = await checking.addTenant('seller')
      const buyer = await checking.addTenant('buyer')
      await checking.nameserver.setZone('acme.test', provedApex(await seller.add('acme.test')))
      assert.deepEqual(outcome(await seller.verify('acme.test')), ['verified', 1])
      await checking.nameserver.setZone('acme.test', apex)
      await database.write((tx) => tx.updateTable('domains').set({ state }).execute())
      const bought = await buyer.add('acme.test')
      assert.deepEqual(stopsOf(await buyer.verify('acme.test')), ['challenge_missing'])

      checking.clock.at += minute
      await reconcileDue(checking.context, { owner: 'worker', log })
      assert.equal(await checking.servedAt('acme.test'), null, 'automatically')
      const refused = await seller.verify('acme.test')
      assert.deepEqual([...outcome(refused), stopsOf(refused)], ['pending', 1, ['challenge_missing']])
      assert.equal(await checking.servedAt('acme.test'), null, 'by a press')

      await checking.nameserver.setZone('acme.test', `${apex}\n${txt(bought)}`)
      assert.deepEqual(outcome(await buyer.verify('acme.test')), ['verified', 1])
      assert.equal(await checking.servedAt('acme.test'), 'buyer')
    }
  })

  test('other claims do not affect an apex that drifts and recovers', { skip }, async () => {
    await using database = await open()
    await using checking = await startChecking(database, { 'acme.test': apex })
    const holder = await checking.addTenant('holder')
    const rival = await checking.addTenant('rival')
    const own = await holder.add('acme.test')
    await checking.nameserver.setZone('acme.test', provedApex(own))
    await holder.verify('acme.test')
    await database.write((tx) => tx.updateTable('domains').set({ state: 'live' }).execute())
    const claim = await rival.add('acme.test')
    await checking.nameserver.setZone('acme.test', '@ 60 A 203.0.113.9')
    assert.deepEqual(outcome(await holder.verify('acme.test')), ['drifted', 1])
    await checking.nameserver.setZone('acme.test', apex)
    assert.deepEqual(stopsOf(await rival.verify('acme.test')), ['challenge_missing'])
    const back = await holder.verify('acme.test')
    assert.deepEqual([...outcome(back), stopsOf(back)], ['live', 1, []])

    await checking.nameserver.setZone('acme.test', provedApex(claim))
    assert.deepEqual(outcome(await rival.verify('acme.test')), ['verified', 1])
    assert.equal(await checking.servedAt('acme.test'), 'rival')
  })

  test('an apex that was removed before its first check gives a stranger nothing', {
    skip,
  }, async () => {
    await using database = await open()
    await using checking = await startChecking(database, { 'acme.test': apex })
    const owner = await checking.addTenant('owner')
    const stranger = await checking.addTenant('stranger')
    await owner.add('acme.test')
    await owner.remove('acme.test')
    await stranger.add('acme.test')
    const refused = await stranger.verify('acme.test')
    assert.deepEqual([...outcome(refused), stopsOf(refused)], ['pending', 0, ['challenge_missing']])
  })

  test('a stranger needs the TXT record for the apex of a deleted project', { skip }, async () => {
    await using database = await open()
    await using checking = await startChecking(database, { 'acme.test': apex })
    const victim = await checking.addTenant('victim')
    const attacker = await checking.addTenant('attacker')
    await checking.nameserver.setZone('acme.test', provedApex(await victim.add('acme.test')))
    assert.deepEqual(outcome(await victim.verify('acme.test')), ['verified', 1])
    await removeProject(checking.context, { project: victim.project, by })
    // Longer than tombstones of unproved names are kept.
    checking.clock.at += 100 * day
    await pruneTombstones(checking.context)
    await attacker.add('acme.test')
    const refused = await attacker.verify('acme.test')
    assert.deepEqual([...outcome(refused), stopsOf(refused)], ['pending', 0, ['challenge_missing']])
    assert.equal(await checking.servedAt('acme.test'), null)
  })
})
