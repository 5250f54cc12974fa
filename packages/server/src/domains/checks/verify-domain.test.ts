import assert from 'node:assert/strict'
import { test } from 'node:test'
import { skipWithout } from '@masthead/testing/peers/peers.ts'
import { openDatabase } from '../../database/database.ts'
import { onEachDatabase } from '../../database/each-database.test-kit.ts'
import { hour, minute, second } from '../../kernel/clock.ts'
import {
  apex,
  by,
  cname,
  domainEventsOf,
  startChecking,
  stopsOf,
  timelineOf,
  toldBy,
  txt,
} from '../checking.test-kit.ts'
import { searchDuration } from '../schedule.ts'
import { reverifyDomain } from './verify-domain.ts'

const skip = skipWithout('knot')

onEachDatabase('verifying a domain', ({ dialect, location, open }) => {
  test('it is verified and served as soon as its record is set', { skip }, async () => {
    await using database = await open()
    await using checking = await startChecking(database, { 'acme.test': '' })
    const tenant = await checking.addTenant('acme')
    const added = await tenant.add('www.acme.test')
    const missing = await tenant.verify('www.acme.test')
    assert.equal(missing.state, 'pending')
    assert.ok(stopsOf(missing).length > 0)
    assert.equal(await checking.servedAt('www.acme.test'), null)

    await checking.nameserver.setZone('acme.test', cname(added))
    checking.heard.length = 0
    const verified = await tenant.verify('www.acme.test')
    assert.deepEqual(
      [verified.state, verified.held, verified.verified_at],
      ['verified', 1, checking.clock.at],
    )
    assert.deepEqual(toldBy(checking), ['domain www.acme.test', 'certificate_due www.acme.test'])
    assert.equal(await checking.servedAt('www.acme.test'), 'acme')
    assert.deepEqual(await timelineOf(database.read, added), ['added', 'checked', 'checked', 'verified'])
    assert.deepEqual(await domainEventsOf(database.read, added), ['domain.added', 'domain.verified'])
  })

  test('asking for a check makes automatic checks frequent again', { skip }, async () => {
    await using database = await open()
    await using checking = await startChecking(database, { 'acme.test': '' })
    const tenant = await checking.addTenant('acme')
    await tenant.add('www.acme.test')
    checking.clock.at += 20 * hour
    const { next_check_at } = await tenant.verify('www.acme.test')
    assert.ok((next_check_at ?? 0) <= checking.clock.at + 5.5 * second)
  })

  test('automatic checks that ended after 48 hours start again on request', { skip }, async () => {
    await using database = await open()
    await using checking = await startChecking(database, { 'acme.test': '' })
    const tenant = await checking.addTenant('acme')
    const { searching_since } = await tenant.add('www.acme.test')
    checking.clock.at = searching_since + searchDuration
    const failed = await tenant.verify('www.acme.test')
    assert.deepEqual([failed.state, failed.next_check_at], ['failed', null])

    checking.clock.at += minute
    const again = await reverifyDomain(checking.context, {
      project: tenant.project,
      hostname: 'www.acme.test',
      by,
    })
    assert.deepEqual([again.state, again.searching_since], ['pending', checking.clock.at])
    assert.ok(again.next_check_at !== null)
    const told = await timelineOf(database.read, failed)
    assert.deepEqual(told, ['added', 'checked', 'failed', 'restarted', 'checked'])
    assert.deepEqual(await domainEventsOf(database.read, failed), ['domain.added', 'domain.failed'])
  })

  test('a suspended domain is rejected, and a missing one is not found', { skip }, async () => {
    await using database = await open()
    await using checking = await startChecking(database)
    const tenant = await checking.addTenant('acme')
    await tenant.add('www.acme.test')
    await database.write((tx) => tx.updateTable('domains').set({ state: 'suspended' }).execute())
    await assert.rejects(tenant.verify('www.acme.test'), { code: 'domain_suspended' })
    await assert.rejects(tenant.verify('other.acme.test'), { code: 'not_found' })
  })

  test('a domain that is removed during the check is not found', { skip }, async () => {
    await using database = await open()
    await using checking = await startChecking(database, { 'acme.test': apex })
    const tenant = await checking.addTenant('acme')
    await tenant.add('acme.test')
    const { dns } = checking.context
    const removing: typeof dns = {
      ...dns,
      async askNameservers(name, types) {
        const answer = await dns.askNameservers(name, types)
        await tenant.remove('acme.test')
        return answer
      },
    }
    const using = { ...checking.context, dns: removing }
    await assert.rejects(tenant.verify('acme.test', using), { code: 'not_found' })
    assert.equal(await checking.servedAt('acme.test'), null)
  })

  test('a working domain stays up while DNS cannot be reached', { skip }, async () => {
    await using database = await open()
    await using checking = await startChecking(database, { 'acme.test': '' })
    const tenant = await checking.addTenant('acme')
    await checking.nameserver.setZone('acme.test', cname(await tenant.add('www.acme.test')))
    await tenant.verify('www.acme.test')
    await checking.nameserver.stop()
    for (const state of ['verified', 'live', 'drifted'] as const) {
      await database.write((tx) => tx.updateTable('domains').set({ state }).execute())
      const row = await tenant.verify('www.acme.test')
      assert.deepEqual([row.state, row.held], [state, 1])
      assert.ok((row.next_check_at ?? 0) <= checking.clock.at + 5.5 * minute)
      assert.equal(await checking.servedAt('www.acme.test'), 'acme')
    }
  })

  if (dialect === 'postgres') {
    test('of two accounts that prove one apex at the same time, one holds it', { skip }, async () => {
      await using where = await location()
      const [database, second] = await Promise.all([
        openDatabase(where, console),
        openDatabase(where, console),
      ])
      await using checking = await startChecking(database, { 'acme.test': apex })
      const one = await checking.addTenant('one')
      const other = await checking.addTenant('other')
      for (const tenant of [one, other]) await tenant.add('acme.test')
      for (let round = 0; round < 10; round++) {
        // The loser gets a new token each time.
        const proofs = [txt(await one.row('acme.test')), txt(await other.row('acme.test'))]
        await checking.nameserver.setZone('acme.test', [apex, ...proofs].join('\n'))
        await Promise.all([
          one.verify('acme.test'),
          other.verify('acme.test', { ...checking.context, database: second }),
        ])
        const rows = [await one.row('acme.test'), await other.row('acme.test')]
        const states = rows.map(({ held, state }) => (held === 1 ? state : `not ${state}`))
        assert.ok(states.includes('verified'), states.join())
        assert.equal(rows.filter(({ held }) => held === 1).length, 1)
        const holder = rows.findIndex(({ held }) => held === 1)
        assert.equal(await checking.servedAt('acme.test'), ['one', 'other'][holder])
      }
      await second.close()
      await database.close()
    })
  }
})
