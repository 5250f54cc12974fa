import assert from 'node:assert/strict'
import { test } from 'node:test'
import { skipWithout } from '@masthead/testing/peers/peers.ts'
import { onEachDatabase } from '../database/each-database.test-kit.ts'
import { createRetryFromFuture } from '../database/from-future.ts'
import type { Dns } from '../dns/dns.ts'
import { day, hour, second } from '../kernel/clock.ts'
import { type Checking, cname, log, startChecking, stopsOf, timelineOf } from './checking.test-kit.ts'
import { leaseDuration, leaseNext } from './lease-store.ts'
import { reconcileDue } from './lifecycle.ts'
import { searchDuration } from './schedule.ts'

const skip = skipWithout('knot')
const reconcile = ({ context }: Checking, owner = 'worker') => reconcileDue(context, { owner, log })

onEachDatabase('the reconciler', ({ open }) => {
  test('a domain is verified automatically once its record is set', { skip }, async () => {
    await using database = await open()
    await using checking = await startChecking(database, { 'acme.test': '' })
    const tenant = await checking.addTenant('acme')
    const added = await tenant.add('www.acme.test')
    await reconcile(checking)
    assert.deepEqual(await tenant.row('www.acme.test'), added)

    checking.clock.at = added.next_check_at ?? 0
    await reconcile(checking)
    const waiting = await tenant.row('www.acme.test')
    assert.deepEqual([waiting.state, waiting.lease_owner, waiting.lease_until], ['pending', null, 0])
    await checking.nameserver.setZone('acme.test', cname(added))
    checking.clock.at = waiting.next_check_at ?? 0
    await reconcile(checking)
    assert.equal((await tenant.row('www.acme.test')).state, 'verified')
    assert.equal(await checking.servedAt('www.acme.test'), 'acme')
  })

  test('automatic checks stop after 48 hours', { skip }, async () => {
    await using database = await open()
    await using checking = await startChecking(database, { 'acme.test': '' })
    const tenant = await checking.addTenant('acme')
    const { searching_since } = await tenant.add('www.acme.test')
    checking.clock.at = searching_since + searchDuration - hour
    await reconcile(checking)
    assert.equal((await tenant.row('www.acme.test')).state, 'pending')
    checking.clock.at = searching_since + searchDuration
    await reconcile(checking)
    const failed = await tenant.row('www.acme.test')
    assert.deepEqual([failed.state, failed.next_check_at], ['failed', null])
  })

  test('a live domain drifts and recovers automatically', { skip }, async () => {
    await using database = await open()
    await using checking = await startChecking(database, { 'acme.test': '' })
    const tenant = await checking.addTenant('acme')
    const right = cname(await tenant.add('www.acme.test'))
    await checking.nameserver.setZone('acme.test', right)
    await tenant.verify('www.acme.test')
    await database.write((tx) => tx.updateTable('domains').set({ state: 'live' }).execute())
    const seen: string[] = []
    for (const zone of ['www A 203.0.113.9', right]) {
      await checking.nameserver.setZone('acme.test', zone)
      checking.clock.at += 4 * hour
      await reconcile(checking)
      seen.push((await tenant.row('www.acme.test')).state)
    }
    assert.deepEqual(seen, ['drifted', 'live'])
  })

  test('a domain checked while the clock was a year ahead is checked again once it is set back', {
    skip,
  }, async () => {
    await using database = await open()
    await using checking = await startChecking(database, { 'acme.test': '' })
    const tenant = await checking.addTenant('acme')
    await checking.nameserver.setZone('acme.test', cname(await tenant.add('www.acme.test')))
    await tenant.verify('www.acme.test')
    await database.write((tx) => tx.updateTable('domains').set({ state: 'live' }).execute())
    const { at } = checking.clock
    checking.clock.at = at + 365 * day
    await reconcile(checking)
    checking.clock.at = at + hour
    await createRetryFromFuture(database)(at + hour)
    await checking.nameserver.setZone('acme.test', 'www A 203.0.113.9')
    await reconcile(checking)
    assert.equal((await tenant.row('www.acme.test')).state, 'drifted')
  })

  test('a domain whose worker died is taken when its lease expires, not before', {
    skip,
  }, async () => {
    await using database = await open()
    await using checking = await startChecking(database, { 'acme.test': '' })
    const tenant = await checking.addTenant('acme')
    const added = await tenant.add('www.acme.test')
    checking.clock.at = added.next_check_at ?? 0
    const leasing = { owner: 'dead', account: added.account_id, now: checking.clock.at }
    const abandoned = await leaseNext(database, leasing)
    assert.equal(abandoned?.row.id, added.id)
    checking.clock.at += leaseDuration - 1
    await reconcile(checking)
    assert.equal((await tenant.row('www.acme.test')).last_check, null)
    checking.clock.at += 1
    await reconcile(checking)
    assert.equal(stopsOf(await tenant.row('www.acme.test')).length > 0, true)
  })

  test('the result of a worker that lost its lease is dropped', { skip }, async () => {
    await using database = await open()
    await using checking = await startChecking(database, { 'acme.test': '' })
    const tenant = await checking.addTenant('acme')
    const added = await tenant.add('www.acme.test')
    checking.clock.at = added.next_check_at ?? 0
    const { dns } = checking.context
    const asked = Promise.withResolvers<void>()
    const slow: typeof dns = {
      ...dns,
      async askNameservers(name, types) {
        await asked.promise
        return dns.askNameservers(name, types)
      },
    }
    // One at a time, or it may lease the domain again itself once its lease has expired.
    const late = reconcileDue({ ...checking.context, dns: slow }, { owner: 'late', log, concurrency: 1 })
    while ((await tenant.row('www.acme.test')).lease_owner !== 'late') await new Promise(setImmediate)
    checking.clock.at += leaseDuration
    await reconcile(checking, 'next')
    const after = await tenant.row('www.acme.test')
    asked.resolve()
    await late
    assert.deepEqual(await tenant.row('www.acme.test'), after)
  })

  test('a domain that was changed during its check is released, and due again in a moment unless it is suspended', {
    skip,
  }, async () => {
    await using database = await open()
    await using checking = await startChecking(database, { 'acme.test': '' })
    const tenant = await checking.addTenant('acme')
    checking.clock.at = (await tenant.add('www.acme.test')).next_check_at ?? 0
    const { dns } = checking.context
    const leaseAfter = async (change: { proxy: 'other' } | { state: 'suspended'; next_check_at: null }) => {
      const changing: typeof dns = {
        ...dns,
        async askNameservers(name, types) {
          await database.write((tx) => tx.updateTable('domains').set(change).execute())
          return dns.askNameservers(name, types)
        },
      }
      await reconcileDue({ ...checking.context, dns: changing }, { owner: 'worker', log })
      const { lease_owner, lease_until, next_check_at, last_check } = await tenant.row('www.acme.test')
      return [lease_owner, lease_until, next_check_at, last_check]
    }
    const inAMoment = checking.clock.at + second
    assert.deepEqual(await leaseAfter({ proxy: 'other' }), [null, 0, inAMoment, null])
    checking.clock.at = inAMoment
    assert.deepEqual(await leaseAfter({ state: 'suspended', next_check_at: null }), [null, 0, null, null])
  })

  test('a failed step is retried with backoff, at most ten minutes apart', {
    skip,
  }, async () => {
    await using database = await open()
    await using checking = await startChecking(database)
    const tenant = await checking.addTenant('acme')
    checking.clock.at = (await tenant.add('www.acme.test')).next_check_at ?? 0
    const failures: object[] = []
    const broken = {
      ...checking.context,
      dns: { ...checking.context.dns, askNameservers: () => Promise.reject(new Error('a fault of ours')) },
    }
    const pauses: number[] = []
    for (let round = 0; round < 10; round++) {
      await reconcileDue(broken, { owner: 'worker', log: { error: (details) => failures.push(details) } })
      const { lease_until } = await tenant.row('www.acme.test')
      pauses.push((lease_until - checking.clock.at) / second)
      checking.clock.at = lease_until
    }
    assert.deepEqual(pauses, [5, 5, 10, 20, 40, 80, 160, 320, 600, 600])
    assert.equal(failures.length, 10)
  })

  test('a slow nameserver delays only its own domain', { skip }, async () => {
    await using database = await open()
    await using checking = await startChecking(database, { 'acme.test': '' })
    const tenant = await checking.addTenant('acme')
    await tenant.add('slow.acme.test')
    checking.clock.at = (await tenant.add('quick.acme.test')).next_check_at ?? 0
    const { dns } = checking.context
    const quickIsDone = Promise.withResolvers<void>()
    const partlySlow: typeof dns = {
      ...dns,
      async askNameservers(name, types) {
        if (name === 'slow.acme.test') await quickIsDone.promise
        return dns.askNameservers(name, types)
      },
    }
    const round = reconcileDue(
      { ...checking.context, dns: partlySlow },
      { owner: 'worker', log, concurrency: 8 },
    )
    const checksOfQuick = async () => {
      const kinds = await timelineOf(database.read, await tenant.row('quick.acme.test'))
      return kinds.filter((kind) => kind === 'checked').length
    }
    while ((await checksOfQuick()) < 1) await new Promise(setImmediate)
    checking.clock.at += 10 * second
    const before = (await tenant.row('quick.acme.test')).next_check_at
    while ((await tenant.row('quick.acme.test')).next_check_at === before) await new Promise(setImmediate)
    assert.equal((await tenant.row('slow.acme.test')).last_check, null)
    quickIsDone.resolve()
    await round
    assert.notEqual((await tenant.row('slow.acme.test')).last_check, null)
  })

  test('a suspended domain that was still due is no longer checked', { skip }, async () => {
    await using database = await open()
    await using checking = await startChecking(database)
    const tenant = await checking.addTenant('acme')
    checking.clock.at = (await tenant.add('www.acme.test')).next_check_at ?? 0
    await database.write((tx) => tx.updateTable('domains').set({ state: 'suspended' }).execute())
    await reconcile(checking)
    const { state, next_check_at, last_check, lease_until } = await tenant.row('www.acme.test')
    assert.deepEqual([state, next_check_at, last_check, lease_until], ['suspended', null, null, 0])
  })

  test('a stopping worker aborts the running check and leaves the domain due', { skip }, async () => {
    await using database = await open()
    await using checking = await startChecking(database, { 'acme.test': '' })
    const tenant = await checking.addTenant('acme')
    const added = await tenant.add('www.acme.test')
    checking.clock.at = added.next_check_at ?? 0
    const stopping = new AbortController()
    const dns: Dns = {
      ...checking.context.dns,
      askNameservers: (_name, _types, { signal } = {}) =>
        new Promise((_, reject) => {
          signal?.addEventListener('abort', () => reject(signal.reason))
          stopping.abort()
        }),
    }
    await reconcileDue({ ...checking.context, dns }, { owner: 'worker', log, stopping: stopping.signal })
    const { state, lease_owner, lease_until, last_check } = await tenant.row('www.acme.test')
    assert.deepEqual([state, lease_owner, lease_until, last_check], ['pending', null, 0, null])
  })

  test('a stopping worker takes nothing more', { skip }, async () => {
    await using database = await open()
    await using checking = await startChecking(database)
    const tenant = await checking.addTenant('acme')
    const added = await tenant.add('www.acme.test')
    checking.clock.at = added.next_check_at ?? 0
    await reconcileDue(checking.context, { owner: 'worker', log, stopping: AbortSignal.abort() })
    assert.deepEqual(await tenant.row('www.acme.test'), added)
  })
})
