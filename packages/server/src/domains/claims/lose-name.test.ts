import assert from 'node:assert/strict'
import { test } from 'node:test'
import { skipWithout } from '@masthead/testing/peers/peers.ts'
import { onEachDatabase } from '../../database/each-database.test-kit.ts'
import {
  apex,
  cname,
  domainEventsOf,
  outcome,
  provedApex,
  startChecking,
  stopsOf,
  tellsOf,
  timelineOf,
  toldBy,
  txt,
} from '../checking.test-kit.ts'

const skip = skipWithout('knot')

onEachDatabase('claims to one name', ({ open }) => {
  test('a dangling CNAME gives a stranger nothing, and its owner gets the name back immediately', {
    skip,
  }, async () => {
    await using database = await open()
    await using checking = await startChecking(database, { 'acme.test': '' })
    const victim = await checking.addTenant('victim')
    const attacker = await checking.addTenant('attacker')
    const before = await victim.add('www.acme.test')
    await checking.nameserver.setZone('acme.test', cname(before))
    assert.deepEqual(outcome(await victim.verify('www.acme.test')), ['verified', 1])
    await victim.remove('www.acme.test')
    assert.equal(await checking.servedAt('www.acme.test'), null)

    const claim = await attacker.add('www.acme.test')
    assert.notEqual(claim.target, before.target)
    const refused = await attacker.verify('www.acme.test')
    assert.deepEqual([...outcome(refused), stopsOf(refused)], ['pending', 0, ['cname_other']])
    assert.equal(await checking.servedAt('www.acme.test'), null)

    await victim.add('www.acme.test')
    assert.deepEqual(outcome(await victim.verify('www.acme.test')), ['verified', 1])
    assert.equal(await checking.servedAt('www.acme.test'), 'victim')
  })

  test('a dangling apex needs the TXT record, which only the owner of the zone can set', {
    skip,
  }, async () => {
    await using database = await open()
    await using checking = await startChecking(database, { 'acme.test': apex })
    const victim = await checking.addTenant('victim')
    const attacker = await checking.addTenant('attacker')
    await checking.nameserver.setZone('acme.test', provedApex(await victim.add('acme.test')))
    assert.deepEqual(outcome(await victim.verify('acme.test')), ['verified', 1])
    await victim.remove('acme.test')

    const claim = await attacker.add('acme.test')
    const refused = await attacker.verify('acme.test')
    assert.deepEqual([...outcome(refused), stopsOf(refused)], ['pending', 0, ['challenge_missing']])
    assert.equal(await checking.servedAt('acme.test'), null)

    await checking.nameserver.setZone('acme.test', provedApex(claim))
    assert.deepEqual(outcome(await attacker.verify('acme.test')), ['verified', 1])
  })

  test('a squatter who claimed a subdomain first does not block its owner', { skip }, async () => {
    await using database = await open()
    await using checking = await startChecking(database, { 'acme.test': '' })
    const squatter = await checking.addTenant('squatter')
    const owner = await checking.addTenant('owner')
    await squatter.add('www.acme.test')
    await checking.nameserver.setZone('acme.test', cname(await owner.add('www.acme.test')))
    assert.deepEqual(outcome(await owner.verify('www.acme.test')), ['verified', 1])
    assert.deepEqual(outcome(await squatter.verify('www.acme.test')), ['pending', 0])
    assert.equal(await checking.servedAt('www.acme.test'), 'owner')
  })

  test('of two claims to an apex the one with its TXT record wins, and neither without', {
    skip,
  }, async () => {
    await using database = await open()
    await using checking = await startChecking(database, { 'acme.test': apex })
    const squatter = await checking.addTenant('squatter')
    const owner = await checking.addTenant('owner')
    await squatter.add('acme.test')
    const own = await owner.add('acme.test')
    for (const claimant of [squatter, owner]) {
      assert.deepEqual(stopsOf(await claimant.verify('acme.test')), ['challenge_missing'])
    }
    await checking.nameserver.setZone('acme.test', `${apex}\n${txt(own)}`)
    assert.deepEqual(outcome(await squatter.verify('acme.test')), ['pending', 0])
    assert.deepEqual(outcome(await owner.verify('acme.test')), ['verified', 1])
  })

  test('a proof moves a served name, and its old account is told, but not who has it', { skip }, async () => {
    await using database = await open()
    await using checking = await startChecking(database, { 'acme.test': '' })
    const old = await checking.addTenant('old')
    const next = await checking.addTenant('next')
    await checking.nameserver.setZone('acme.test', cname(await old.add('www.acme.test')))
    await old.verify('www.acme.test')
    await checking.nameserver.setZone('acme.test', cname(await next.add('www.acme.test')))
    checking.heard.length = 0
    assert.deepEqual(outcome(await next.verify('www.acme.test')), ['verified', 1])

    const lost = await old.row('www.acme.test')
    assert.deepEqual([...outcome(lost), lost.next_check_at], ['failed', 0, null])
    assert.deepEqual(stopsOf(lost), ['held_elsewhere'])
    assert.doesNotMatch(lost.last_check ?? '', /next|acc_/)
    assert.equal((await timelineOf(database.read, lost)).at(-1), 'lost')
    assert.equal((await domainEventsOf(database.read, lost)).at(-1), 'domain.lost')
    assert.deepEqual(toldBy(checking), [
      'domain_stopped www.acme.test',
      'domain www.acme.test',
      'certificate www.acme.test',
      'certificate_due www.acme.test',
    ])
    assert.equal(await checking.servedAt('www.acme.test'), 'next')
  })

  test('a holder that waits for its record again, or is suspended, loses the name to a proof', {
    skip,
  }, async () => {
    await using database = await open()
    await using checking = await startChecking(database, { 'acme.test': '' })
    const old = await checking.addTenant('old')
    const next = await checking.addTenant('next')
    const mine = cname(await old.add('www.acme.test'))
    const theirs = cname(await next.add('www.acme.test'))
    for (const state of ['pending', 'suspended'] as const) {
      await checking.nameserver.setZone('acme.test', mine)
      assert.deepEqual(outcome(await old.verify('www.acme.test')), ['verified', 1])
      const { id } = await old.row('www.acme.test')
      await database.write((tx) => tx.updateTable('domains').set({ state }).where('id', '=', id).execute())
      await checking.nameserver.setZone('acme.test', theirs)
      assert.deepEqual(outcome(await next.verify('www.acme.test')), ['verified', 1])
      const lost = await old.row('www.acme.test')
      assert.deepEqual(outcome(lost), [state, 0])
      assert.equal(lost.next_check_at !== null, state === 'pending')
    }
  })

  test('a holder keeps its apex without a TXT record, despite other claims', { skip }, async () => {
    await using database = await open()
    await using checking = await startChecking(database, { 'acme.test': apex })
    const holder = await checking.addTenant('holder')
    const squatter = await checking.addTenant('squatter')
    await checking.nameserver.setZone('acme.test', provedApex(await holder.add('acme.test')))
    await holder.verify('acme.test')
    await squatter.add('acme.test')
    await checking.nameserver.setZone('acme.test', apex)
    assert.deepEqual(outcome(await holder.verify('acme.test')), ['verified', 1])
    assert.deepEqual(outcome(await squatter.verify('acme.test')), ['pending', 0])
  })

  test('an apex lost to a proof does not come back through a leftover record', {
    skip,
  }, async () => {
    await using database = await open()
    await using checking = await startChecking(database, { 'acme.test': apex })
    const old = await checking.addTenant('old')
    const next = await checking.addTenant('next')
    const stale = txt(await old.add('acme.test'))
    await checking.nameserver.setZone('acme.test', `${apex}\n${stale}`)
    await old.verify('acme.test')
    const claim = txt(await next.add('acme.test'))
    await checking.nameserver.setZone('acme.test', [apex, stale, claim].join('\n'))
    assert.deepEqual(outcome(await next.verify('acme.test')), ['verified', 1])
    const again = await old.verify('acme.test')
    assert.deepEqual([...outcome(again), stopsOf(again)], ['pending', 0, ['challenge_missing']])
    assert.equal(await checking.servedAt('acme.test'), 'next')
    assert.deepEqual(tellsOf(await next.verify('acme.test')), ['challenge_other'])
    // The real owner sets the token that is shown now.
    await checking.nameserver.setZone('acme.test', [apex, claim, txt(again)].join('\n'))
    assert.deepEqual(outcome(await old.verify('acme.test')), ['verified', 1])
  })

  test('a domain that moves to another project of its account stays held and served', { skip }, async () => {
    await using database = await open()
    await using checking = await startChecking(database, { 'acme.test': '' })
    const owner = await checking.addTenant('owner')
    await checking.nameserver.setZone('acme.test', cname(await owner.add('www.acme.test')))
    await owner.verify('www.acme.test')
    const other = await checking.addProject('other', owner.account.id)
    await checking.publish({ '/index.html': 'other' }, { of: other })
    const moved = await owner.add('www.acme.test', checking.context, other)
    assert.deepEqual(outcome(moved), ['verified', 1])
    assert.equal(await checking.servedAt('www.acme.test'), 'other')
    assert.deepEqual(outcome(await owner.verify('www.acme.test', checking.context, other)), ['verified', 1])
  })
})
