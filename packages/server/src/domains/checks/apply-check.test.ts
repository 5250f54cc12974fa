import assert from 'node:assert/strict'
import { test } from 'node:test'
import { skipWithout } from '@masthead/testing/peers/peers.ts'
import { sql } from 'kysely'
import { type Database, openDatabase } from '../../database/database.ts'
import { onEachDatabase } from '../../database/each-database.test-kit.ts'
import { second } from '../../kernel/clock.ts'
import {
  apex,
  by,
  type Checking,
  cname,
  outcome,
  startChecking,
  stopsOf,
  timelineOf,
  toldBy,
  txt,
} from '../checking.test-kit.ts'
import { findProofRequirement } from '../claims/ownership.ts'
import { checkDns } from '../dns-check/check-dns.ts'
import { findMethods } from '../dns-check/judge.test-kit.ts'
import type { DomainRow } from '../domain.ts'
import { applyCheck } from './apply-check.ts'

const skip = skipWithout('knot')

/** Resolves when a transaction waits for another one. Other tests have databases of their own on the same server. */
async function waitsForLock({ read }: Database): Promise<void> {
  for (;;) {
    const { rows } = await sql`
      select 1 from pg_locks join pg_stat_activity using (pid)
      where not granted and datname = current_database()`.execute(read)
    if (rows.length > 0) return
  }
}

/** A check that is not applied yet. */
async function look({ context }: Checking, domain: DomainRow) {
  const { hostname, kind, target } = domain
  const { database, naming, now } = context
  const proof = await findProofRequirement(database.read, domain, { naming, now: now() })
  const result = await checkDns(context, { hostname, kind, target, proof, findMethods })
  return { domain, result, proof, by, lease: null }
}

onEachDatabase('applying a check', ({ dialect, location, open }) => {
  test('an apex that another account proved during the check is not taken with a void token', {
    skip,
  }, async () => {
    await using database = await open()
    await using checking = await startChecking(database, { 'acme.test': apex })
    const first = await checking.addTenant('first')
    const second = await checking.addTenant('second')
    const claims = [await first.add('acme.test'), await second.add('acme.test')] as const
    await checking.nameserver.setZone('acme.test', [apex, ...claims.map(txt)].join('\n'))
    const seen = await look(checking, claims[0])
    assert.equal(seen.result.check.outcome, 'right')
    assert.deepEqual(outcome(await second.verify('acme.test')), ['verified', 1])
    assert.equal((await applyCheck(checking.context, seen)).kind, 'retry')
    const row = await first.row('acme.test')
    assert.deepEqual([row.state, row.held, row.last_check], ['pending', 0, null])
    assert.deepEqual(stopsOf(await first.verify('acme.test')), ['challenge_missing'])
    assert.equal(await checking.servedAt('acme.test'), 'second')
  })

  test('a name that was removed during the check no longer proves its apex', { skip }, async () => {
    await using database = await open()
    await using checking = await startChecking(database, { 'acme.test': apex })
    const tenant = await checking.addTenant('acme')
    const [www, top] = [await tenant.add('www.acme.test'), await tenant.add('acme.test')]
    await checking.nameserver.setZone('acme.test', `${apex}\n${cname(www)}`)
    const seen = await look(checking, top)
    assert.equal(seen.result.check.outcome, 'right')
    await tenant.remove('www.acme.test')
    assert.equal((await applyCheck(checking.context, seen)).kind, 'retry')
    assert.equal(await checking.servedAt('acme.test'), null)
  })

  test("a check older than the holder's proof does not take the name", { skip }, async () => {
    await using database = await open()
    await using checking = await startChecking(database, { 'acme.test': '' })
    const early = await checking.addTenant('early')
    const late = await checking.addTenant('late')
    const claim = await early.add('www.acme.test')
    await checking.nameserver.setZone('acme.test', cname(claim))
    const seen = await look(checking, claim)
    checking.clock.at += second
    await checking.nameserver.setZone('acme.test', cname(await late.add('www.acme.test')))
    await late.verify('www.acme.test')
    assert.equal((await applyCheck(checking.context, seen)).kind, 'retry')
    assert.equal(await checking.servedAt('www.acme.test'), 'late')
  })

  test('a check older than the last one is dropped', { skip }, async () => {
    await using database = await open()
    await using checking = await startChecking(database, { 'acme.test': '' })
    const tenant = await checking.addTenant('acme')
    const claim = await tenant.add('www.acme.test')
    const seen = await look(checking, claim)
    checking.clock.at += second
    await checking.nameserver.setZone('acme.test', cname(claim))
    const verified = await tenant.verify('www.acme.test')
    assert.equal((await applyCheck(checking.context, seen)).kind, 'dropped')
    assert.deepEqual(await tenant.row('www.acme.test'), { ...verified })
  })

  test('a domain that was removed or suspended during the check stays so', { skip }, async () => {
    await using database = await open()
    await using checking = await startChecking(database, { 'acme.test': apex })
    const tenant = await checking.addTenant('acme')
    const seen = await look(checking, await tenant.add('acme.test'))
    await database.write((tx) => tx.updateTable('domains').set({ state: 'suspended' }).execute())
    assert.equal((await applyCheck(checking.context, seen)).kind, 'dropped')
    assert.equal((await tenant.row('acme.test')).state, 'suspended')
    await tenant.remove('acme.test')
    assert.equal((await applyCheck(checking.context, seen)).kind, 'gone')
    assert.equal(await checking.servedAt('acme.test'), null)
  })

  test('a live domain drifts and recovers while being served, and both are recorded', { skip }, async () => {
    await using database = await open()
    await using checking = await startChecking(database, { 'acme.test': '' })
    const tenant = await checking.addTenant('acme')
    const right = cname(await tenant.add('www.acme.test'))
    await checking.nameserver.setZone('acme.test', right)
    const verified = await tenant.verify('www.acme.test')
    await database.write((tx) => tx.updateTable('domains').set({ state: 'live' }).execute())
    checking.heard.length = 0

    await checking.nameserver.setZone('acme.test', 'www A 203.0.113.9')
    assert.equal((await tenant.verify('www.acme.test')).state, 'drifted')
    assert.equal(await checking.servedAt('www.acme.test'), 'acme')
    assert.deepEqual(toldBy(checking), ['domain www.acme.test'])
    checking.heard.length = 0
    await checking.nameserver.setZone('acme.test', right)
    assert.equal((await tenant.verify('www.acme.test')).state, 'live')
    assert.deepEqual(toldBy(checking), ['domain www.acme.test', 'certificate_due www.acme.test'])
    assert.deepEqual(await timelineOf(database.read, verified), [
      'added',
      'checked',
      'verified',
      'checked',
      'drifted',
      'checked',
      'recovered',
    ])
  })

  test('a verified domain whose record is removed waits again, and is no longer served', {
    skip,
  }, async () => {
    await using database = await open()
    await using checking = await startChecking(database, { 'acme.test': '' })
    const tenant = await checking.addTenant('acme')
    await checking.nameserver.setZone('acme.test', cname(await tenant.add('www.acme.test')))
    await tenant.verify('www.acme.test')
    checking.heard.length = 0
    await checking.nameserver.setZone('acme.test', '')
    checking.clock.at += second
    const row = await tenant.verify('www.acme.test')
    assert.deepEqual([row.state, row.held, row.searching_since], ['pending', 1, checking.clock.at])
    assert.deepEqual(toldBy(checking), ['domain_stopped www.acme.test'])
    assert.equal(await checking.servedAt('www.acme.test'), null)
  })

  if (dialect === 'postgres') {
    test('a writer without the lock cannot create a second holder, and the check is retried', {
      skip,
    }, async () => {
      await using where = await location()
      const [database, careless] = await Promise.all([
        openDatabase(where, console),
        openDatabase(where, console),
      ])
      await using checking = await startChecking(database, { 'acme.test': '' })
      const one = await checking.addTenant('one')
      const other = await checking.addTenant('other')
      const claim = await one.add('www.acme.test')
      const rival = await other.add('www.acme.test')
      await checking.nameserver.setZone('acme.test', cname(claim))
      const seen = await look(checking, claim)
      const written = Promise.withResolvers<void>()
      const applying = Promise.withResolvers<void>()
      const forgetful = careless.write(async (tx) => {
        await tx.updateTable('domains').set({ held: 1 }).where('id', '=', rival.id).execute()
        written.resolve()
        await applying.promise
      })
      await written.promise
      const applied = applyCheck(checking.context, seen)
      await waitsForLock(database)
      applying.resolve()
      await forgetful
      assert.equal((await applied).kind, 'retry')
      assert.deepEqual(
        [(await one.verify('www.acme.test')).held, (await other.row('www.acme.test')).held],
        [1, 0],
      )
      await careless.close()
      await database.close()
    })
  }
})
