import assert from 'node:assert/strict'
import { test } from 'node:test'
import { onEachDatabase } from '../../database/each-database.test-kit.ts'
import { hour } from '../../kernel/clock.ts'
import { apex, by, cname, outcome, stopsOf, tellsOf, txt } from '../checking.test-kit.ts'
import { changePlanOf } from '../claims/change-plan.ts'
import { describeDomain } from '../claims/read-domain.ts'
import { lastCheckOf } from '../domain.ts'
import { createDomainHooks } from '../https/domain-hooks.ts'
import { skip, useProving } from './proving.test-kit.ts'
import { removeProof } from './remove-proof.ts'

onEachDatabase('two accounts and a stranger', ({ open }) => {
  const kit = useProving(open)
  const { tenant, whose, start, verify, proving, set, token, refused, prove, makeLive } = kit

  test('nobody else adds, verifies or checks a name below it, with its own target or without', {
    skip,
  }, async () => {
    const [owner, stranger] = [await tenant('owner'), await tenant('stranger')]
    const www = await stranger.add('www.early.test')
    const top = await stranger.add('early.test')
    const line = await prove(owner, 'early.test', apex, cname(www))
    await set('early.test', line, apex, cname(www), txt(top))
    for (const name of ['www.early.test', 'early.test']) {
      const row = await stranger.verify(name)
      assert.deepEqual([...outcome(row), stopsOf(row)], ['pending', 0, ['domain_proved_elsewhere']], name)
      assert.equal(await kit.checking.servedAt(name), null)
    }
    for (const name of ['new.early.test', 'WWW2.EARLY.test.', 'a.b.early.test']) {
      await assert.rejects(stranger.add(name), refused('domain_proved_elsewhere'), name)
    }
    const hooks = createDomainHooks(kit.checking.context, {
      edgeAt: { host: '127.0.0.1', port: 1 },
      publicPort: 1,
    })
    assert.equal(await hooks.isAllowed('www.early.test'), false)
    await owner.add('www.early.test')
    const own = await owner.row('www.early.test')
    await set('early.test', line, apex, cname(own))
    assert.deepEqual(outcome(await owner.verify('www.early.test')), ['verified', 1])
    assert.equal(await kit.checking.servedAt('www.early.test'), 'owner')
  })

  test('a holder keeps a name while its own record is in DNS, and loses it an hour after', {
    skip,
  }, async () => {
    const [owner, agency] = [await tenant('owner'), await tenant('agency')]
    const hooks = createDomainHooks(kit.checking.context, {
      edgeAt: { host: '127.0.0.1', port: 1 },
      publicPort: 1,
    })
    const blog = await agency.add('blog.kept.test')
    await set('kept.test', cname(blog, 'blog'))
    await agency.verify('blog.kept.test')
    await makeLive(blog.id)
    kit.checking.clock.at += hour
    await agency.verify('blog.kept.test')
    const due = async () =>
      ((await agency.row('blog.kept.test')).next_check_at ?? assert.fail()) - kit.checking.clock.at
    assert.ok((await due()) > hour)
    const line = await prove(owner, 'kept.test', cname(blog, 'blog'))
    assert.equal(await due(), 0)
    const kept = await agency.verify('blog.kept.test')
    assert.deepEqual([...outcome(kept), tellsOf(kept)], ['live', 1, ['kept_under_proof']])
    assert.ok((await due()) <= hour / 6)
    assert.equal(await hooks.isAllowed('blog.kept.test'), true)

    await set('kept.test', line)
    assert.deepEqual(outcome(await agency.verify('blog.kept.test')), ['drifted', 1])
    assert.equal(await hooks.isAllowed('blog.kept.test'), false)
    await set('kept.test', line, cname(blog, 'blog'))
    assert.deepEqual(outcome(await agency.verify('blog.kept.test')), ['live', 1])
    await set('kept.test', line)
    await agency.verify('blog.kept.test')
    kit.checking.clock.at += hour
    const lost = await agency.verify('blog.kept.test')
    assert.deepEqual([...outcome(lost), stopsOf(lost)], ['failed', 0, ['held_elsewhere']])
    assert.equal(await kit.checking.servedAt('blog.kept.test'), null)
    await set('kept.test', line, cname(blog, 'blog'))
    const refusedNow = await agency.verify('blog.kept.test')
    assert.deepEqual(
      [...outcome(refusedNow), stopsOf(refusedNow)],
      ['pending', 0, ['domain_proved_elsewhere']],
    )
  })

  test('nobody is told to remove the record of their own proof, or to set one that cannot help', {
    skip,
  }, async () => {
    const [owner, stranger] = [await tenant('owner'), await tenant('stranger')]
    const strange = await stranger.add('told.test')
    const line = token(await start(owner, 'told.test'))
    const own = await owner.add('told.test')
    // The proof has not been checked yet.
    await set('told.test', line, apex, txt(own))
    const checked = await owner.verify('told.test')
    assert.deepEqual([...outcome(checked), tellsOf(checked)], ['verified', 1, []])
    assert.equal((await verify(owner, 'told.test')).state, 'proved')
    await set('told.test', line, apex, txt(own), txt(strange))
    const row = await stranger.verify('told.test')
    assert.deepEqual(stopsOf(row), ['domain_proved_elsewhere'])
    const changed = lastCheckOf(row)?.check.changes ?? []
    assert.deepEqual(
      changed.filter(({ type }) => type === 'TXT'),
      [],
    )
  })

  test('the owner takes such a name with its own record, not with the record of the holder', {
    skip,
  }, async () => {
    const [owner, agency] = [await tenant('owner'), await tenant('agency')]
    const shop = await agency.add('shop.rival.test')
    await set('rival.test', cname(shop, 'shop'))
    await agency.verify('shop.rival.test')
    await makeLive(shop.id)
    const line = await prove(owner, 'rival.test', cname(shop, 'shop'))
    const own = await owner.add('shop.rival.test')
    assert.deepEqual(outcome(await owner.verify('shop.rival.test')), ['pending', 0])
    assert.equal(await kit.checking.servedAt('shop.rival.test'), 'agency')
    await set('rival.test', line, cname(own, 'shop'))
    assert.deepEqual(outcome(await owner.verify('shop.rival.test')), ['verified', 1])
    assert.equal(await kit.checking.servedAt('shop.rival.test'), 'owner')
  })

  test('the record of a holder that is no longer served is enough for the owner', { skip }, async () => {
    const [owner, lapsed] = [await tenant('owner'), await tenant('lapsed')]
    const blog = await lapsed.add('blog.late.test')
    await set('late.test', cname(blog, 'blog'))
    await lapsed.verify('blog.late.test')
    const accountId = lapsed.account.id
    const plan = { plan: 'free', suspendDomains: true, asOperator: true } as const
    await changePlanOf(kit.checking.context, { accountId, ...plan, by })
    await prove(owner, 'late.test', cname(blog, 'blog'))
    await owner.add('blog.late.test')
    assert.deepEqual(outcome(await owner.verify('blog.late.test')), ['verified', 1])
    assert.deepEqual(outcome(await lapsed.row('blog.late.test')), ['suspended', 0])
  })

  test('an apex held by another account needs its proof again, and goes to the owner', { skip }, async () => {
    const [owner, agency] = [await tenant('owner'), await tenant('agency')]
    const held = await agency.add('apex.test')
    await set('apex.test', apex, txt(held))
    await agency.verify('apex.test')
    await makeLive(held.id)
    const line = await prove(owner, 'apex.test', apex, txt(held))
    assert.deepEqual(outcome(await agency.verify('apex.test')), ['live', 1])
    await set('apex.test', line, apex)
    assert.deepEqual(outcome(await agency.verify('apex.test')), ['drifted', 1])
    await owner.add('apex.test')
    assert.deepEqual(outcome(await owner.verify('apex.test')), ['verified', 1])
    assert.equal(await kit.checking.servedAt('apex.test'), 'owner')
    await removeProof(kit.checking.context, whose(owner, 'apex.test'))
    const asked = await owner.verify('apex.test')
    assert.deepEqual([...outcome(asked), tellsOf(asked)], ['verified', 1, ['proof_due']])
  })

  test('a name with its own nameservers needs only addresses there', { skip }, async () => {
    const owner = await tenant('owner')
    await owner.add('app.top.test')
    await prove(owner, 'top.test')
    await set('app.top.test', 'api 60 A 192.0.2.1')
    const missing = await owner.verify('app.top.test')
    assert.deepEqual([...outcome(missing), stopsOf(missing)], ['pending', 0, ['apex_missing']])
    const { records } = await describeDomain(kit.checking.context, missing)
    assert.deepEqual(
      records.map(({ type, name, status }) => [type, name, status]),
      [['ALIAS', '@', 'missing']],
    )
    await set('app.top.test', apex, '@ 60 AAAA 2001:db8::10', 'api 60 A 192.0.2.1')
    assert.deepEqual(outcome(await owner.verify('app.top.test')), ['verified', 1])
  })

  test('a delegated zone is proved separately, any other name below a domain is not', { skip }, async () => {
    const [owner, dept] = [await tenant('owner'), await tenant('dept')]
    await start(dept, 'team.parent.test')
    const line = await prove(owner, 'parent.test')
    await prove(dept, 'dept.parent.test')
    const refusal = await verify(dept, 'team.parent.test')
    assert.deepEqual(
      [refusal.state, refusal.lastCheck?.findings[0]?.code, refusal.lastCheck?.findings[0]?.fix],
      ['pending', 'zone_not_delegated', 'Prove parent.test instead. That covers team.parent.test too.'],
    )
    assert.equal(await proving('www.dept.parent.test'), dept.account.id)
    assert.equal(await proving('www.parent.test'), owner.account.id)
    await assert.rejects(owner.add('www.dept.parent.test'), refused('domain_proved_elsewhere'))
    await assert.rejects(dept.add('www.parent.test'), refused('domain_proved_elsewhere'))
    await dept.add('dept.parent.test')
    const www = await dept.add('www.dept.parent.test')
    // A sibling in the delegated zone proves nothing about the zone above.
    await set('parent.test', line, apex)
    await kit.checking.nameserver.setZone('dept.parent.test', cname(www))
    assert.deepEqual(outcome(await dept.verify('www.dept.parent.test')), ['verified', 1])
    await assert.rejects(dept.add('parent.test'), refused('domain_proved_elsewhere'))
  })

  test('a delegation that is withdrawn gives the zone to the account that proved the one above, and only to it', {
    skip,
  }, async () => {
    const [owner, dept] = [await tenant('owner'), await tenant('dept')]
    const token = await prove(owner, 'back.test')
    await prove(dept, 'dept.back.test')
    await prove(dept, 'dept.lone.test')
    const www = await dept.add('www.dept.back.test')
    await kit.checking.nameserver.setZone('dept.back.test', cname(www))
    assert.deepEqual(outcome(await dept.verify('www.dept.back.test')), ['verified', 1])
    await makeLive(www.id)

    for (const zone of ['dept.back.test', 'dept.lone.test']) await kit.checking.nameserver.removeZone(zone)
    await set('back.test', token)
    assert.equal((await verify(dept, 'dept.back.test')).state, 'ended')
    assert.equal(await proving('www.dept.back.test'), owner.account.id)
    await assert.rejects(dept.add('new.dept.back.test'), refused('domain_proved_elsewhere'))
    assert.deepEqual(outcome(await dept.verify('www.dept.back.test')), ['drifted', 1])
    // Nobody has proved the zone above, so nobody else has a better claim.
    assert.equal((await verify(dept, 'dept.lone.test')).state, 'drifted')
    assert.equal(await proving('www.dept.lone.test'), dept.account.id)
  })

  test('a record behind a wildcard or alias of the zone proves nothing', { skip }, async () => {
    const stranger = await tenant('stranger')
    const { record } = await start(stranger, 'alias.test')
    await set('evil.test', `* 60 TXT "${record.value}"`, `@ 60 TXT "${record.value}"`)
    await set('alias.test', '* 60 CNAME evil.test.')
    assert.equal((await verify(stranger, 'alias.test')).state, 'pending')
    await set('alias.test', '_masthead-challenge 60 CNAME x.evil.test.')
    assert.equal((await verify(stranger, 'alias.test')).state, 'pending')
    assert.equal(await proving('alias.test'), null)
  })

  test('of many proofs and claims at once exactly one account gets the domain', { skip }, async () => {
    const [owner, stranger] = [await tenant('owner'), await tenant('stranger')]
    const first = token(await start(owner, 'race.test'))
    const second = token(await start(stranger, 'race.test'))
    const www = await stranger.add('www.race.test')
    await owner.add('www.race.test')
    await set('race.test', first, second, cname(www))
    await Promise.all([
      verify(owner, 'race.test'),
      verify(stranger, 'race.test'),
      verify(owner, 'race.test'),
      verify(stranger, 'race.test'),
      stranger.verify('www.race.test'),
      owner.verify('www.race.test'),
    ])
    const winner = await proving('race.test')
    assert.ok(winner === owner.account.id || winner === stranger.account.id)
    const states = [await verify(owner, 'race.test'), await verify(stranger, 'race.test')].map(
      ({ state }) => state,
    )
    assert.equal(states.filter((state) => state === 'proved').length, 1)
    assert.equal(await proving('race.test'), winner)

    // The owner gets the stranger's name only while nobody holds it and the owner's proof stands.
    const early = await kit.checking.servedAt('www.race.test')
    await stranger.verify('www.race.test')
    await owner.verify('www.race.test')
    const settled = winner === stranger.account.id ? 'stranger' : (early ?? 'owner')
    assert.equal(await kit.checking.servedAt('www.race.test'), settled)
  })

  test('a move within the account changes nothing about who holds a name', { skip }, async () => {
    const [owner, agency] = [await tenant('owner'), await tenant('agency')]
    const www = await agency.add('www.moved.test')
    await set('moved.test', cname(www))
    await agency.verify('www.moved.test')
    await prove(owner, 'moved.test', cname(www))
    const other = await kit.checking.addProject('agency-two', agency.account.id)
    await kit.checking.publish({ '/index.html': 'two' }, { of: other })
    await agency.add('www.moved.test', kit.checking.context, other)
    const moved = await agency.verify('www.moved.test', kit.checking.context, other)
    assert.deepEqual(outcome(moved), ['verified', 1])
    assert.equal(await kit.checking.servedAt('www.moved.test'), 'agency-two')
  })

  test('a downgrade keeps the proof, so that nobody takes the names meanwhile', { skip }, async () => {
    const [seller, stranger] = [await tenant('seller'), await tenant('stranger')]
    const www = await seller.add('www.down.test')
    const line = await prove(seller, 'down.test', cname(www))
    await seller.verify('www.down.test')
    const change = (plan: 'free' | 'pro') =>
      changePlanOf(kit.checking.context, {
        accountId: seller.account.id,
        plan,
        suspendDomains: true,
        by,
        asOperator: true,
      })
    await change('free')
    assert.equal(await kit.checking.servedAt('www.down.test'), null)
    await assert.rejects(stranger.add('www.down.test'), refused('domain_proved_elsewhere'))
    await assert.rejects(start(seller, 'limit.test'), refused('plan_required'))
    await set('down.test', line, cname(www))
    assert.equal((await verify(seller, 'down.test')).state, 'proved')
    await change('pro')
    await seller.verify('www.down.test')
    assert.equal(await kit.checking.servedAt('www.down.test'), 'seller')
  })

  test('a former holder cannot add its name again below a proved domain', { skip }, async () => {
    const [owner, agency] = [await tenant('owner'), await tenant('agency')]
    const www = await agency.add('www.tomb.test')
    await set('tomb.test', cname(www))
    await agency.verify('www.tomb.test')
    await prove(owner, 'tomb.test', cname(www))
    await agency.remove('www.tomb.test')
    await assert.rejects(agency.add('www.tomb.test'), refused('domain_proved_elsewhere'))
    // The record of the former holder points here, and the owner decides about its domain.
    await owner.add('www.tomb.test')
    assert.deepEqual(outcome(await owner.verify('www.tomb.test')), ['verified', 1])
  })
})
