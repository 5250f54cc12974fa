import assert from 'node:assert/strict'
import { test } from 'node:test'
import { onEachDatabase } from '../../database/each-database.test-kit.ts'
import { by, cname, outcome, stopsOf, type Tenant, tellsOf, toldBy } from '../checking.test-kit.ts'
import { changePlanOf } from '../claims/change-plan.ts'
import { describeDomain } from '../claims/read-domain.ts'
import { createDomainHooks } from '../https/domain-hooks.ts'
import { mayWildcardCover } from '../read.ts'
import { skip, useProving } from './proving.test-kit.ts'
import { removeProof } from './remove-proof.ts'

onEachDatabase('a wildcard', ({ open }) => {
  const kit = useProving(open)
  const { tenant, whose, start, verify, set, token, refused, prove, makeLive } = kit
  const servedAt = (name: string) => kit.checking.servedAt(name)
  const mayCertify = (name: string) =>
    createDomainHooks(kit.checking.context, {
      edgeAt: { host: '127.0.0.1', port: 1 },
      publicPort: 1,
    }).isAllowed(name)

  /** Adds `*.{domain}` under a proof of the domain, and points it here. */
  async function addWildcard(who: Tenant, domain: string, ...lines: string[]) {
    const row = await who.add(`*.${domain}`)
    const proof = await prove(who, domain, cname(row, '*'), ...lines)
    assert.deepEqual(outcome(await who.verify(`*.${domain}`)), ['verified', 1])
    return { row, all: [proof, cname(row, '*')] }
  }

  test('asks for the proof of the zone, not for one that was started below it and cannot count', {
    skip,
  }, async () => {
    const owner = await tenant('owner')
    const record = async (row: Awaited<ReturnType<Tenant['verify']>>) =>
      (await describeDomain(kit.checking.context, row)).records.find(({ type }) => type === 'TXT')
    await start(owner, 'sub.wpart.test')
    const refused = await verify(owner, 'sub.wpart.test')
    assert.deepEqual(
      refused.lastCheck?.findings.map(({ code }) => code),
      ['zone_not_delegated'],
    )
    const row = await owner.add('*.sub.wpart.test')
    const shown = (await record(row)) ?? assert.fail()
    assert.equal(shown.fqdn, '_masthead-challenge.wpart.test')
    await set('wpart.test', cname(row, '*.sub'), `_masthead-challenge 60 TXT "${shown.value}"`)
    assert.deepEqual(outcome(await owner.verify('*.sub.wpart.test')), ['verified', 1])
  })

  test('needs the proof of the domain: neither its own target nor a delegation nor a token is enough', {
    skip,
  }, async () => {
    const owner = await tenant('owner')
    const row = await owner.add('*.WILD.test.')
    assert.deepEqual([row.hostname, row.kind, row.registrable], ['*.wild.test', 'wildcard', 'wild.test'])
    await set('wild.test', cname(row, '*'), `_masthead-challenge 60 TXT "${row.challenge}"`)
    const unproved = await owner.verify('*.wild.test')
    assert.deepEqual([...outcome(unproved), stopsOf(unproved)], ['pending', 0, ['wildcard_unproved']])
    assert.equal(await mayCertify('*.wild.test'), false)
    assert.equal(await servedAt('shop.wild.test'), null)

    // The proof was started with the wildcard, and its record is shown with the others.
    const { records } = await describeDomain(kit.checking.context, unproved)
    const txt = records.find(({ type }) => type === 'TXT') ?? assert.fail()
    assert.deepEqual([txt.fqdn, txt.purpose], ['_masthead-challenge.wild.test', 'ownership'])
    await set('wild.test', cname(row, '*'), `_masthead-challenge 60 TXT "${txt.value}"`)
    const proved = await owner.verify('*.wild.test')
    assert.deepEqual([...outcome(proved), proved.proof], ['verified', 1, 'account'])
    assert.equal(await mayCertify('*.wild.test'), true)
    assert.equal(await servedAt('shop.wild.test'), 'owner')
    for (const name of ['wild.test', 'a.shop.wild.test', 'xwild.test', '*.wild.test.evil.test']) {
      assert.equal(await servedAt(name), null, name)
    }
  })

  test('never covers a zone that another account has proved, nor anything below it', { skip }, async () => {
    const [owner, dept] = [await tenant('owner'), await tenant('dept')]
    assert.equal(await servedAt('dept.wild.test'), 'owner')
    const deeper = await owner.add('*.dept.wild.test')
    await kit.checking.nameserver.setZone('dept.wild.test', cname(deeper, '*'))
    assert.deepEqual(outcome(await owner.verify('*.dept.wild.test')), ['verified', 1])
    assert.equal(await servedAt('www.dept.wild.test'), 'owner')
    kit.checking.heard.length = 0
    await prove(dept, 'dept.wild.test', cname(deeper, '*'))
    const told = toldBy(kit.checking)
    assert.ok(told.includes('domain_stopped dept.wild.test'), told.join())
    assert.ok(told.includes('domain_stopped *.dept.wild.test'), told.join())
    for (const name of ['dept.wild.test', 'www.dept.wild.test']) assert.equal(await servedAt(name), null)
    assert.equal(await mayCertify('*.dept.wild.test'), false)
    assert.equal(await servedAt('shop.wild.test'), 'owner')
    const lost = await owner.verify('*.dept.wild.test')
    assert.deepEqual([...outcome(lost), stopsOf(lost)], ['failed', 0, ['held_elsewhere']])
    await assert.rejects(owner.add('*.x.dept.wild.test'), refused('domain_proved_elsewhere'))
    await removeProof(kit.checking.context, whose(dept, 'dept.wild.test'))
    assert.equal(await servedAt('dept.wild.test'), 'owner')
  })

  test('leaves an exact name to its project and to the account that still proves it', { skip }, async () => {
    const [owner, agency] = [await tenant('owner'), await tenant('agency')]
    const blog = await agency.add('blog.wheld.test')
    await set('wheld.test', cname(blog, 'blog'))
    await agency.verify('blog.wheld.test')
    await makeLive(blog.id)
    const { all } = await addWildcard(owner, 'wheld.test', cname(blog, 'blog'))
    assert.equal(await servedAt('blog.wheld.test'), 'agency')
    assert.deepEqual(outcome(await agency.verify('blog.wheld.test')), ['live', 1])
    assert.equal(await servedAt('shop.wheld.test'), 'owner')

    // Without the record of the holder, the wildcard record answers, which is not its own.
    await set('wheld.test', ...all)
    assert.deepEqual(outcome(await agency.verify('blog.wheld.test')), ['drifted', 1])
    assert.equal(await servedAt('blog.wheld.test'), 'agency')
    await agency.remove('blog.wheld.test')
    assert.equal(await servedAt('blog.wheld.test'), 'owner')
    await assert.rejects(agency.add('blog.wheld.test'), refused('domain_proved_elsewhere'))
    await assert.rejects(agency.add('*.wheld.test'), refused('domain_proved_elsewhere'))
    await assert.rejects(agency.add('*.sub.wheld.test'), refused('domain_proved_elsewhere'))
  })

  test('covers a name that another account holds without being served, and no longer once it is', {
    skip,
  }, async () => {
    const [owner, agency] = [await tenant('owner'), await tenant('agency')]
    const { context } = kit.checking
    const change = (plan: 'free' | 'enterprise') =>
      changePlanOf(context, {
        accountId: agency.account.id,
        plan,
        suspendDomains: true,
        by,
        asOperator: true,
      })
    const blog = await agency.add('blog.wdead.test')
    await set('wdead.test', cname(blog, 'blog'))
    await agency.verify('blog.wdead.test')
    await makeLive(blog.id)
    const { all } = await addWildcard(owner, 'wdead.test', cname(blog, 'blog'))
    assert.equal(await mayWildcardCover(context, 'blog.wdead.test'), false)

    await change('free')
    assert.equal(await servedAt('blog.wdead.test'), 'owner')
    assert.equal(await mayWildcardCover(context, 'blog.wdead.test'), true)

    await change('enterprise')
    assert.deepEqual(outcome(await agency.verify('blog.wdead.test')), ['verified', 1])
    assert.equal(await servedAt('blog.wdead.test'), 'agency')
    assert.equal(await mayWildcardCover(context, 'blog.wdead.test'), false)

    // Without its record it is not served again, not even for the moment until the first check.
    await change('free')
    await set('wdead.test', ...all)
    await change('enterprise')
    assert.equal(await servedAt('blog.wdead.test'), 'owner')
    assert.equal(await mayCertify('blog.wdead.test'), false)
    assert.deepEqual(outcome(await agency.verify('blog.wdead.test')), ['pending', 0])
  })

  test('an exact name of the account wins on whichever project, and gives way when it is removed', {
    skip,
  }, async () => {
    const owner = await tenant('owner')
    await addWildcard(owner, 'wexact.test')
    const other = await kit.checking.addProject('owner-two', owner.account.id)
    await kit.checking.publish({ '/index.html': 'two' }, { of: other })
    const exact = { using: kit.checking.context, to: other }
    await owner.add('docs.wexact.test', exact.using, exact.to)
    assert.equal(await servedAt('docs.wexact.test'), 'owner')
    // The wildcard record already points it here.
    const row = await owner.verify('docs.wexact.test', exact.using, exact.to)
    assert.deepEqual(outcome(row), ['verified', 1])
    assert.equal(await servedAt('docs.wexact.test'), 'owner-two')
    assert.equal(await servedAt('shop.wexact.test'), 'owner')
    await owner.remove('*.wexact.test')
    assert.equal(await servedAt('shop.wexact.test'), null)
    assert.equal(await mayCertify('*.wexact.test'), false)
    assert.equal(await servedAt('docs.wexact.test'), 'owner-two')
    const again = await owner.add('*.wexact.test')
    assert.deepEqual(outcome(await owner.verify('*.wexact.test')), ['verified', 1])
    assert.equal(await servedAt('shop.wexact.test'), 'owner')
    assert.equal(again.state, 'pending')
  })

  test('claimed by two goes to the account that proves the domain, and changes hands with the proof', {
    skip,
  }, async () => {
    const [owner, stranger] = [await tenant('owner'), await tenant('stranger')]
    const theirs = await stranger.add('*.wtwo.test')
    const { row, all } = await addWildcard(owner, 'wtwo.test', cname(theirs, 'x'))
    await set('wtwo.test', ...all, cname(theirs, 'x'))
    const refusal = await stranger.verify('*.wtwo.test')
    assert.deepEqual(
      [...outcome(refusal), stopsOf(refusal)],
      ['pending', 0, ['cname_other', 'domain_proved_elsewhere']],
    )
    assert.equal(await servedAt('shop.wtwo.test'), 'owner')

    // The domain is sold: the new owner proves it, and the old one is not served for another minute.
    await set('wtwo.test', token(await start(stranger, 'wtwo.test')), cname(row, '*'))
    assert.equal((await verify(stranger, 'wtwo.test')).state, 'proved')
    assert.equal(await servedAt('shop.wtwo.test'), null)
    assert.equal(await mayCertify('*.wtwo.test'), false)
    assert.deepEqual(outcome(await owner.verify('*.wtwo.test')), ['failed', 0])
    assert.deepEqual(outcome(await stranger.verify('*.wtwo.test')), ['verified', 1])
    assert.equal(await servedAt('shop.wtwo.test'), 'stranger')
    await assert.rejects(owner.add('*.a.wtwo.test'), refused('domain_proved_elsewhere'))
  })

  test('is not certified once the proof has ended, and recovers with it', { skip }, async () => {
    const seller = await tenant('seller')
    const { row, all } = await addWildcard(seller, 'wstale.test')
    await makeLive(row.id)
    await removeProof(kit.checking.context, whose(seller, 'wstale.test'))
    assert.equal(await mayCertify('*.wstale.test'), false)
    const drifted = await seller.verify('*.wstale.test')
    assert.deepEqual([...outcome(drifted), stopsOf(drifted)], ['drifted', 1, ['wildcard_unproved']])
    // Nobody else has proved it, so visitors are served while the certificate lasts.
    assert.equal(await servedAt('shop.wstale.test'), 'seller')
    // The value that is still in DNS proves nothing any more.
    await start(seller, 'wstale.test')
    await seller.verify('*.wstale.test')
    assert.equal(await mayCertify('*.wstale.test'), false)
    await prove(seller, 'wstale.test', ...all.slice(1))
    assert.deepEqual(outcome(await seller.verify('*.wstale.test')), ['live', 1])
    assert.equal(await mayCertify('*.wstale.test'), true)
  })

  test('is suspended by a plan without wildcards, alone', { skip }, async () => {
    const small = await tenant('small')
    const { all } = await addWildcard(small, 'wdown.test')
    const www = await small.add('www.wdown.test')
    await set('wdown.test', ...all, cname(www))
    await small.verify('www.wdown.test')
    const change = (plan: 'pro' | 'business', suspendDomains = true) =>
      changePlanOf(kit.checking.context, {
        accountId: small.account.id,
        plan,
        suspendDomains,
        by,
        asOperator: true,
      })
    await assert.rejects(change('pro', false), (error) => {
      assert.ok(error instanceof Error && refused('domains_would_suspend')(error))
      assert.match(error.message, /^Pro does not include wildcard domains: one wildcard domain would be/)
      return true
    })
    await change('pro')
    assert.deepEqual([await servedAt('shop.wdown.test'), await servedAt('www.wdown.test')], [null, 'small'])
    assert.equal(await mayCertify('*.wdown.test'), false)
    await assert.rejects(small.add('*.shop.wdown.test'), (error) => {
      assert.ok(error instanceof Error && refused('plan_required')(error))
      assert.equal(error.message, 'Wildcard domains require Business or higher. This account is on Pro.')
      return true
    })
    await change('business')
    assert.deepEqual(outcome(await small.verify('*.wdown.test')), ['verified', 1])
    assert.equal(await servedAt('shop.wdown.test'), 'small')
  })

  test('is prepared by a delegation only under the proof, and shows that record with the others', {
    skip,
  }, async () => {
    const owner = await tenant('owner')
    const { context } = kit.checking
    const using = { ...context, naming: { ...context.naming, challengeDns: true } }
    const row = await owner.add('*.wprep.test')
    const delegation = (label: string) => `_acme-challenge 60 CNAME ${label}.acme.masthead.test.`
    const certificateOf = async (checked: typeof row) => {
      const { records } = await describeDomain(using, checked)
      const found = records.find(({ purpose }) => purpose === 'certificate')
      return [found?.name, found?.value, found?.status]
    }
    const elsewhere = '* 60 A 192.0.2.99'
    await set('wprep.test', elsewhere, delegation(row.target))
    const unproved = await owner.verify('*.wprep.test', using)
    assert.deepEqual(outcome(unproved), ['pending', 0])
    assert.deepEqual(await certificateOf(unproved), [
      '_acme-challenge',
      `${row.target}.acme.masthead.test`,
      'ok',
    ])
    assert.equal(await servedAt('shop.wprep.test'), null)

    const line = await prove(owner, 'wprep.test', elsewhere, delegation(row.target))
    assert.deepEqual(outcome(await owner.verify('*.wprep.test', using)), ['prepared', 1])
    assert.equal(await mayCertify('*.wprep.test'), true)
    assert.equal(await servedAt('shop.wprep.test'), 'owner')

    await set('wprep.test', line, cname(row, '*'))
    const without = await owner.verify('*.wprep.test', using)
    assert.deepEqual([...outcome(without), tellsOf(without)], ['verified', 1, ['delegation_missing']])
    assert.equal((await certificateOf(without))[2], 'missing')
    // The apex has the same challenges, and a name has only one CNAME.
    const top = await owner.add('wprep.test')
    await set('wprep.test', line, cname(row, '*'), delegation(top.target))
    const shared = await owner.verify('*.wprep.test', using)
    assert.deepEqual(tellsOf(shared), [])
    assert.deepEqual(await certificateOf(shared), [
      '_acme-challenge',
      `${top.target}.acme.masthead.test`,
      'ok',
    ])
  })

  test('of many claims, proofs and removals at once never serves an account without proof', {
    skip,
  }, async () => {
    const [owner, stranger] = [await tenant('owner'), await tenant('stranger')]
    const [ours, theirs] = [await owner.add('*.wrace.test'), await stranger.add('*.wrace.test')]
    const first = token(await start(owner, 'wrace.test'))
    const second = token(await start(stranger, 'wrace.test'))
    await set('wrace.test', first, second, cname(ours, '*'))
    await Promise.all([
      owner.verify('*.wrace.test'),
      stranger.verify('*.wrace.test'),
      verify(owner, 'wrace.test'),
      stranger.verify('*.wrace.test'),
      verify(stranger, 'wrace.test'),
      owner.verify('*.wrace.test'),
    ])
    const winner = await kit.proving('wrace.test')
    const served = await servedAt('shop.wrace.test')
    const slugs = { [owner.account.id]: 'owner', [stranger.account.id]: 'stranger' }
    assert.ok(winner !== null && (served === null || served === slugs[winner]), `${winner} ${served}`)
    assert.notEqual(theirs.target, ours.target)
    await Promise.all([
      owner.remove('*.wrace.test'),
      owner.verify('*.wrace.test').catch(() => {}),
      stranger.remove('*.wrace.test'),
      stranger.verify('*.wrace.test').catch(() => {}),
    ])
    assert.equal(await servedAt('shop.wrace.test'), null)
  })
})
