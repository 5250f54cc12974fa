import assert from 'node:assert/strict'
import { test } from 'node:test'
import { skipWithout } from '@masthead/testing/peers/peers.ts'
import type { Database } from '../../database/database.ts'
import { onEachDatabase } from '../../database/each-database.test-kit.ts'
import { day } from '../../kernel/clock.ts'
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
  txt,
} from '../checking.test-kit.ts'
import { isNoticeDue, proofTerm } from './apex-proof.ts'
import { describeDomain } from './read-domain.ts'

const skip = skipWithout('knot')
const elsewhere = '@ 60 A 203.0.113.9'

/** Live by its addresses alone, as before proofs were required. */
function makeLive(database: Database, id: string): Promise<unknown> {
  const change = { state: 'live', held: 1, proof: null } as const
  return database.write((tx) =>
    tx
      .updateTable('domains')
      .set(change)
      .where('id', '=', id as `dom_${string}`)
      .execute(),
  )
}

onEachDatabase('the proof of an apex', ({ open }) => {
  test('addresses alone give a stranger no apex, whatever was added before', { skip }, async () => {
    await using database = await open()
    await using checking = await startChecking(database, { 'both.test': apex })
    const owner = await checking.addTenant('owner')
    const stranger = await checking.addTenant('stranger')
    const www = await owner.add('www.both.test')
    await checking.nameserver.setZone('both.test', `${apex}\n${cname(www)}`)
    assert.deepEqual(outcome(await owner.verify('www.both.test')), ['verified', 1])

    await stranger.add('both.test')
    await stranger.add('www.both.test')
    for (const name of ['both.test', 'www.both.test', 'both.test']) await stranger.verify(name)
    const refused = await stranger.row('both.test')
    assert.deepEqual([...outcome(refused), stopsOf(refused)], ['pending', 0, ['challenge_missing']])
    assert.equal(await checking.servedAt('both.test'), null)

    await owner.add('both.test')
    const proved = await owner.verify('both.test')
    assert.deepEqual([...outcome(proved), proved.proof], ['verified', 1, 'sibling'])
    const { records } = await describeDomain(checking.context, proved)
    assert.deepEqual(
      records.map(({ type }) => type),
      ['ALIAS'],
    )
  })

  test('an apex and www added together need only their own records', { skip }, async () => {
    for (const first of ['acme.test', 'www.acme.test']) {
      await using database = await open()
      await using checking = await startChecking(database, { 'acme.test': '' })
      const owner = await checking.addTenant('owner')
      await owner.add(first)
      await owner.add(first === 'acme.test' ? 'www.acme.test' : 'acme.test')
      const asked = await describeDomain(checking.context, await owner.row('acme.test'))
      assert.deepEqual(
        asked.records.map(({ type }) => type),
        ['ALIAS'],
      )
      // A wildcard TXT record answers for the name of the proof too, and is nobody's claim.
      const lines = [apex, cname(await owner.row('www.acme.test')), '* 60 TXT "v=spf1 -all"']
      await checking.nameserver.setZone('acme.test', lines.join('\n'))
      const proved = await owner.verify('acme.test')
      assert.deepEqual([...outcome(proved), tellsOf(proved)], ['verified', 1, []])
    }
  })

  test('a delegated name, or one with another account’s record, proves nothing', { skip }, async () => {
    await using database = await open()
    await using checking = await startChecking(database, { 'acme.test': apex, 'lent.acme.test': '' })
    const owner = await checking.addTenant('owner')
    const tenant = await checking.addTenant('tenant')
    const lent = await tenant.add('www.lent.acme.test')
    await checking.nameserver.setZone('lent.acme.test', cname(lent))
    assert.deepEqual(outcome(await tenant.verify('www.lent.acme.test')), ['verified', 1])
    await tenant.add('acme.test')
    const refused = await tenant.verify('acme.test')
    assert.deepEqual([...outcome(refused), stopsOf(refused)], ['pending', 0, ['challenge_missing']])
    await tenant.add('www.acme.test')
    const www = cname(await owner.add('www.acme.test'))
    await checking.nameserver.setZone('acme.test', `${apex}\n${www}`)
    assert.deepEqual(outcome(await tenant.verify('acme.test')), ['pending', 0])
    assert.equal(await checking.servedAt('acme.test'), null)
  })

  test('a sibling does not take an apex from an account that proved it, but the TXT record does', {
    skip,
  }, async () => {
    await using database = await open()
    await using checking = await startChecking(database, { 'acme.test': '' })
    const owner = await checking.addTenant('owner')
    const agency = await checking.addTenant('agency')
    const blog = cname(await agency.add('blog.acme.test'), 'blog')
    const proof = txt(await owner.add('acme.test'))
    await checking.nameserver.setZone('acme.test', [apex, blog, proof].join('\n'))
    assert.deepEqual(outcome(await owner.verify('acme.test')), ['verified', 1])
    const claim = await agency.add('acme.test')
    const refused = await agency.verify('acme.test')
    assert.deepEqual([...outcome(refused), stopsOf(refused)], ['pending', 0, ['challenge_missing']])
    assert.equal(await checking.servedAt('acme.test'), 'owner')

    await checking.nameserver.setZone('acme.test', [apex, blog, txt(claim)].join('\n'))
    assert.deepEqual(outcome(await agency.verify('acme.test')), ['verified', 1])
    assert.equal(await checking.servedAt('acme.test'), 'agency')
  })

  test('an apex that was live before stays served, and its account is reminded of the proof until it is there', {
    skip,
  }, async () => {
    await using database = await open()
    await using checking = await startChecking(database, { 'acme.test': apex })
    const { clock, nameserver } = checking
    const holder = await checking.addTenant('holder')
    const { id } = await holder.add('acme.test')
    await makeLive(database, id)
    const asked = await holder.verify('acme.test')
    assert.deepEqual([...outcome(asked), stopsOf(asked), tellsOf(asked)], ['live', 1, [], ['proof_due']])
    assert.equal(asked.proof_due_at, clock.at + proofTerm)
    assert.deepEqual((await describeDomain(checking.context, asked)).proof, {
      by: null,
      dueAt: new Date(clock.at + proofTerm).toISOString(),
    })
    const notices = async () =>
      (await domainEventsOf(database.read, asked)).filter((type) => type === 'domain.proof_asked').length
    await holder.verify('acme.test')
    assert.equal(await notices(), 1)
    for (const [days, told] of [
      [22, 1],
      [1, 2],
      [6, 3],
      [1, 4],
      [29, 4],
      [1, 5],
    ] as const) {
      clock.at += days * day
      await holder.verify('acme.test')
      assert.equal(await notices(), told)
    }
    assert.equal(await checking.servedAt('acme.test'), 'holder')

    await nameserver.setZone('acme.test', provedApex(asked))
    const proved = await holder.verify('acme.test')
    assert.deepEqual([proved.proof, proved.proof_due_at, tellsOf(proved)], ['challenge', null, []])
    assert.equal((await timelineOf(database.read, proved)).at(-1), 'proof_found')
    assert.equal((await domainEventsOf(database.read, proved)).at(-1), 'domain.proof_found')
  })

  test('without a proof an apex recovers from wrong DNS before the deadline, and not after it', {
    skip,
  }, async () => {
    await using database = await open()
    await using checking = await startChecking(database, { 'acme.test': apex })
    const { clock, nameserver } = checking
    const holder = await checking.addTenant('holder')
    const added = await holder.add('acme.test')
    await makeLive(database, added.id)
    await holder.verify('acme.test')
    for (const [passed, state] of [
      [0, 'live'],
      [proofTerm, 'drifted'],
    ] as const) {
      clock.at += passed
      await nameserver.setZone('acme.test', elsewhere)
      assert.deepEqual(outcome(await holder.verify('acme.test')), ['drifted', 1])
      await nameserver.setZone('acme.test', apex)
      assert.deepEqual(outcome(await holder.verify('acme.test')), [state, 1])
      assert.equal(await checking.servedAt('acme.test'), 'holder')
    }
    await nameserver.setZone('acme.test', provedApex(added))
    assert.deepEqual(outcome(await holder.verify('acme.test')), ['live', 1])
  })

  test('an unproved apex is lost to the first proof, even a sibling', {
    skip,
  }, async () => {
    await using database = await open()
    await using checking = await startChecking(database, { 'both.test': apex })
    const owner = await checking.addTenant('owner')
    const stranger = await checking.addTenant('stranger')
    await makeLive(database, (await stranger.add('both.test')).id)
    const www = await owner.add('www.both.test')
    await checking.nameserver.setZone('both.test', `${apex}\n${cname(www)}`)
    await owner.add('both.test')
    assert.deepEqual(outcome(await owner.verify('both.test')), ['verified', 1])
    const lost = await stranger.verify('both.test')
    assert.deepEqual([...outcome(lost), stopsOf(lost)], ['pending', 0, ['challenge_missing']])
    assert.equal(await checking.servedAt('both.test'), 'owner')
  })
})

test('reminders come at the start, a week and a day before the deadline, at it, and every 30 days after it', () => {
  const due = 100 * day
  const isDue = (noticed: number, now: number) =>
    isNoticeDue({ proof_due_at: due, proof_noticed_at: noticed * day }, now * day)
  assert.ok(isNoticeDue({ proof_due_at: null, proof_noticed_at: null }, 0))
  const cases: [noticed: number, now: number, isDue: boolean][] = [
    [70, 92.9, false],
    [70, 93, true],
    [93, 98.9, false],
    [93, 99, true],
    [99, 99.9, false],
    [99, 100, true],
    [100, 129.9, false],
    [100, 130, true],
    [130, 159, false],
    [70, 165, true],
  ]
  for (const [noticed, now, expected] of cases)
    assert.equal(isDue(noticed, now), expected, `${noticed} ${now}`)
})
