import assert from 'node:assert/strict'
import { test } from 'node:test'
import { skipWithout } from '@masthead/testing/peers.ts'
import { day, minute } from '../clock.ts'
import { onEachDatabase } from '../database/each-database.test-kit.ts'
import { apex, by, log, outcome, startChecking, stopsOf, txt } from './checking.test-kit.ts'
import { forgetTombstones } from './forget-tombstones.ts'
import { reconcileDue } from './lifecycle.ts'
import { removeProject } from './remove-project.ts'

const skip = skipWithout('knot')

onEachDatabase('an apex that was in other hands', ({ open }) => {
  test('who sold an apex does not get it back by the addresses that its buyer sets', { skip }, async () => {
    for (const state of ['failed', 'pending'] as const) {
      await using database = await open()
      await using checking = await startChecking(database, { 'acme.test': apex })
      const seller = await checking.addTenant('seller')
      const buyer = await checking.addTenant('buyer')
      await seller.add('acme.test')
      assert.deepEqual(outcome(await seller.verify('acme.test')), ['verified', 1])
      await database.write((tx) => tx.updateTable('domains').set({ state }).execute())
      const bought = await buyer.add('acme.test')
      assert.deepEqual(stopsOf(await buyer.verify('acme.test')), ['challenge_missing'])

      checking.clock.at += minute
      await reconcileDue(checking.context, { owner: 'worker', log })
      assert.equal(await checking.servedAt('acme.test'), null, 'by itself')
      const refused = await seller.verify('acme.test')
      assert.deepEqual([...outcome(refused), stopsOf(refused)], ['pending', 1, ['challenge_missing']])
      assert.equal(await checking.servedAt('acme.test'), null, 'by a press')

      await checking.nameserver.setZone('acme.test', `${apex}\n${txt(bought)}`)
      assert.deepEqual(outcome(await buyer.verify('acme.test')), ['verified', 1])
      assert.equal(await checking.servedAt('acme.test'), 'buyer')
    }
  })

  test('an apex that drifted goes on being served, and is live again only by its TXT record once others claim it', {
    skip,
  }, async () => {
    await using database = await open()
    await using checking = await startChecking(database, { 'acme.test': apex })
    const holder = await checking.addTenant('holder')
    const rival = await checking.addTenant('rival')
    const own = await holder.add('acme.test')
    await holder.verify('acme.test')
    await database.write((tx) => tx.updateTable('domains').set({ state: 'drifted' }).execute())
    const claim = await rival.add('acme.test')
    const waiting = await holder.verify('acme.test')
    assert.deepEqual([...outcome(waiting), stopsOf(waiting)], ['drifted', 1, ['challenge_missing']])
    assert.equal(await checking.servedAt('acme.test'), 'holder')

    await checking.nameserver.setZone('acme.test', `${apex}\n${txt(own)}`)
    assert.deepEqual(outcome(await holder.verify('acme.test')), ['live', 1])
    await database.write((tx) =>
      tx.updateTable('domains').set({ state: 'drifted' }).where('id', '=', own.id).execute(),
    )
    await checking.nameserver.setZone('acme.test', `${apex}\n${txt(claim)}`)
    assert.deepEqual(outcome(await rival.verify('acme.test')), ['verified', 1])
    assert.equal(await checking.servedAt('acme.test'), 'rival')
  })

  test('a claim that comes while DNS is asked makes the answer of a former holder too little', {
    skip,
  }, async () => {
    await using database = await open()
    await using checking = await startChecking(database, { 'acme.test': apex })
    const seller = await checking.addTenant('seller')
    const buyer = await checking.addTenant('buyer')
    await seller.add('acme.test')
    await seller.verify('acme.test')
    await database.write((tx) => tx.updateTable('domains').set({ state: 'failed' }).execute())
    const { dns } = checking.context
    let looks = 0
    const claimedMeanwhile: typeof dns = {
      ...dns,
      async askEverywhere(name, types) {
        const answers = await dns.askEverywhere(name, types)
        if (looks++ === 0) await buyer.add('acme.test')
        return answers
      },
    }
    const refused = await seller.verify('acme.test', { ...checking.context, dns: claimedMeanwhile })
    assert.deepEqual([...outcome(refused), stopsOf(refused)], ['pending', 1, ['challenge_missing']])
  })

  test('an apex that was removed before it was ever looked at is worth nothing to a stranger', {
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

  test('an apex of a project that was deleted needs the TXT record of a stranger', { skip }, async () => {
    await using database = await open()
    await using checking = await startChecking(database, { 'acme.test': apex })
    const victim = await checking.addTenant('victim')
    const attacker = await checking.addTenant('attacker')
    await victim.add('acme.test')
    assert.deepEqual(outcome(await victim.verify('acme.test')), ['verified', 1])
    await removeProject(checking.context, { project: victim.project, by })
    // Longer than names are remembered that nobody proved.
    checking.clock.at += 100 * day
    await forgetTombstones(checking.context)
    await attacker.add('acme.test')
    const refused = await attacker.verify('acme.test')
    assert.deepEqual([...outcome(refused), stopsOf(refused)], ['pending', 0, ['challenge_missing']])
    assert.equal(await checking.servedAt('acme.test'), null)
  })
})
