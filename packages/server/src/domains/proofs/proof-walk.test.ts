import assert from 'node:assert/strict'
import { test } from 'node:test'
import { onEachDatabase } from '../../database/each-database.test-kit.ts'
import { createRetryFromFuture } from '../../database/from-future.ts'
import { createDns } from '../../dns/dns.ts'
import { day, hour } from '../../kernel/clock.ts'
import { apex, by, cname, outcome } from '../checking.test-kit.ts'
import { deleteAccount } from '../claims/delete-account.ts'
import { describeDomain } from '../claims/read-domain.ts'
import { skip, useProving } from './proving.test-kit.ts'
import { listProofs } from './read-proof.ts'
import { recheckProofs } from './recheck-proofs.ts'
import { removeProof } from './remove-proof.ts'
import { verifyProof } from './verify-proof.ts'

onEachDatabase('a proof of a whole domain', ({ open }) => {
  const kit = useProving(open)
  const { tenant, whose, start, verify, proving, set, token, refused, eventsOf, prove } = kit

  test('a proof is asked for once, and then every name needs only its way here', { skip }, async () => {
    const owner = await tenant('owner')
    const started = await start(owner, 'https://ONCE.test./')
    assert.deepEqual(
      [started.domain, started.state, started.record.fqdn],
      ['once.test', 'pending', '_masthead-challenge.once.test'],
    )
    const missing = await verify(owner, 'once.test')
    assert.equal(missing.state, 'pending')
    assert.match(
      missing.lastCheck?.findings[0]?.fix ?? '',
      new RegExp(`_masthead-challenge, value ${started.record.value}`),
    )
    assert.equal(await proving('once.test'), null)
    assert.equal((await start(owner, 'once.test')).record.value, started.record.value)
    await owner.add('once.test')
    await owner.add('www.once.test')
    await owner.add('direct.once.test')
    const www = cname(await owner.row('www.once.test'), '*')
    await set('once.test', token(started), apex, www, 'direct 60 A 192.0.2.10')
    assert.equal((await verify(owner, 'once.test')).state, 'proved')
    await owner.add('any.below.once.test')
    for (const name of ['once.test', 'www.once.test', 'direct.once.test', 'any.below.once.test']) {
      assert.deepEqual(outcome(await owner.verify(name)), ['verified', 1], name)
    }
    const described = await describeDomain(kit.checking.context, await owner.row('once.test'))
    assert.deepEqual([described.proof?.by, described.records.map(({ type }) => type)], ['account', ['ALIAS']])
    assert.deepEqual(await eventsOf(owner), ['proof.started', 'proof.found'])
    const { items } = await listProofs(kit.checking.context, owner.account.id, { limit: 10 })
    assert.deepEqual(
      items.map(({ domain }) => domain),
      ['once.test'],
    )
  })

  test('addresses elsewhere do not verify, even under a proof', { skip }, async () => {
    const owner = await tenant('owner')
    await owner.add('away.once.test')
    const proof = token(await start(owner, 'once.test'))
    await set('once.test', proof, 'away 60 A 203.0.113.9')
    assert.deepEqual(outcome(await owner.verify('away.once.test')), ['pending', 0])
    await set('once.test', proof, 'away 60 A 203.0.113.9', 'away 60 A 192.0.2.10')
    assert.deepEqual(outcome(await owner.verify('away.once.test')), ['pending', 0])
    await set('once.test', proof, 'away 60 CNAME cname.masthead.test.')
    assert.deepEqual(outcome(await owner.verify('away.once.test')), ['pending', 0])
  })

  test('a fresh proof ends the one before, and no value left in DNS brings it back', { skip }, async () => {
    const [owner, buyer] = [await tenant('owner'), await tenant('buyer')]
    const old = await prove(owner, 'fresh.test')
    const fresh = token(await start(buyer, 'fresh.test'))
    assert.equal((await verify(buyer, 'fresh.test')).state, 'pending')
    assert.equal(await proving('www.fresh.test'), owner.account.id)
    await set('fresh.test', old, fresh)
    assert.equal((await verify(buyer, 'fresh.test')).state, 'proved')
    assert.equal(await proving('www.fresh.test'), buyer.account.id)
    assert.ok((await eventsOf(owner)).includes('proof.lost'))
    assert.equal((await verify(owner, 'fresh.test')).state, 'pending')
    assert.equal(await proving('www.fresh.test'), buyer.account.id)
    await assert.rejects(owner.add('www.fresh.test'), refused('domain_proved_elsewhere'))
  })

  test('a removed proof frees the names, and its value never counts again', { skip }, async () => {
    const [owner, stranger] = [await tenant('owner'), await tenant('stranger')]
    const line = await prove(owner, 'stale.test')
    await assert.rejects(
      removeProof(kit.checking.context, whose(stranger, 'stale.test')),
      refused('not_found'),
    )
    await removeProof(kit.checking.context, whose(owner, 'stale.test'))
    assert.equal(await proving('stale.test'), null)
    await start(owner, 'stale.test')
    assert.equal((await verify(owner, 'stale.test')).state, 'pending')
    const www = await stranger.add('www.stale.test')
    await set('stale.test', line, cname(www))
    assert.deepEqual(outcome(await stranger.verify('www.stale.test')), ['verified', 1])
  })

  test('a missing record is told, counts for 30 days, and ends the proof then', { skip }, async () => {
    const [owner, stranger] = [await tenant('owner'), await tenant('stranger')]
    const log = { error: (details: object) => assert.fail(JSON.stringify(details)) }
    const recheck = async (passed: number) => {
      kit.checking.clock.at += passed
      await recheckProofs(kit.checking.context, { log })
    }
    const line = await prove(owner, 'drift.test')
    await set('drift.test', '')
    await recheck(2 * day)
    const { items } = await listProofs(kit.checking.context, owner.account.id, { limit: 100 })
    const drifted = items.find(({ domain }) => domain === 'drift.test')
    assert.equal(drifted?.state, 'drifted')
    assert.equal(drifted?.endsAt, new Date(kit.checking.clock.at + 30 * day).toISOString())
    await recheck(29 * day)
    assert.equal(await proving('drift.test'), owner.account.id)
    await assert.rejects(stranger.add('drift.test'), refused('domain_proved_elsewhere'))
    await set('drift.test', line)
    await recheck(hour * 2)
    assert.equal((await verify(owner, 'drift.test')).state, 'proved')
    await set('drift.test', '')
    await recheck(2 * day)
    await recheck(30 * day)
    assert.equal(await proving('drift.test'), null)
    await set('drift.test', line)
    assert.equal((await verify(owner, 'drift.test')).state, 'pending')
    const told = ['started', 'found', 'drifted', 'recovered', 'drifted', 'ended']
    assert.deepEqual(
      await eventsOf(owner, 'drift.test'),
      told.map((what) => `proof.${what}`),
    )
  })

  test('a proof checked while the clock was a year ahead is checked again once it is set back', {
    skip,
  }, async () => {
    const owner = await tenant('owner')
    const log = { error: (details: object) => assert.fail(JSON.stringify(details)) }
    await prove(owner, 'ahead.test')
    const { clock } = kit.checking
    const { at } = clock
    clock.at = at + 365 * day
    await recheckProofs(kit.checking.context, { log })
    clock.at = at + hour
    await createRetryFromFuture(kit.checking.context.database)(at + hour)
    await set('ahead.test', '')
    await recheckProofs(kit.checking.context, { log })
    const { items } = await listProofs(kit.checking.context, owner.account.id, { limit: 100 })
    assert.equal(items.find(({ domain }) => domain === 'ahead.test')?.state, 'drifted')
  })

  test('nameservers that cannot be reached end nothing and prove nothing', { skip }, async () => {
    const [owner, stranger] = [await tenant('owner'), await tenant('stranger')]
    await prove(owner, 'unclear.test')
    await start(stranger, 'unclear.test')
    const nowhere = { address: '127.0.0.1', port: 1 }
    const dns = createDns({ servers: [nowhere], authoritativePort: 1, allowPrivate: true })
    const context = { ...kit.checking.context, dns }
    for (const who of [owner, stranger]) {
      const { lastCheck } = await verifyProof(context, whose(who, 'unclear.test'))
      assert.equal(lastCheck?.outcome, 'unclear')
    }
    assert.equal(await proving('unclear.test'), owner.account.id)
  })

  test('a deleted account proves nothing any more, and limits bound what one account can start', {
    skip,
  }, async () => {
    const small = await kit.checking.addTenant('small', 'pro')
    await prove(small, 'gone.test')
    for (let index = 1; index < 20; index++) await start(small, `n${index}.test`)
    await assert.rejects(start(small, 'limit.test'), refused('proof_limit_reached'))
    await assert.rejects(start(small, 'com'), refused('hostname_invalid'))
    await assert.rejects(start(small, 'masthead.test'), refused('hostname_invalid'))
    await deleteAccount(kit.checking.context, {
      account: small.account,
      name: 'small',
      removeDomains: true,
      by,
    })
    assert.equal(await proving('gone.test'), null)
  })
})
