import assert from 'node:assert/strict'
import { test } from 'node:test'
import { skipWithout } from '@masthead/testing/peers/peers.ts'
import { openDatabase } from '../database/database.ts'
import { onEachDatabase } from '../database/each-database.test-kit.ts'
import { minute } from '../kernel/clock.ts'
import { log, startChecking } from './checking.test-kit.ts'
import { leaseNext } from './lease-store.ts'
import { reconcileDue } from './lifecycle.ts'

const skip = skipWithout('knot')

onEachDatabase('workers beside each other', ({ dialect, location }) => {
  // SQLite has one writer.
  if (dialect !== 'postgres') return

  test('two workers lease each of 200 due domains exactly once', { skip }, async () => {
    await using where = await location()
    const databases = await Promise.all([openDatabase(where, console), openDatabase(where, console)])
    await using checking = await startChecking(databases[0], { 'acme.test': '' })
    const tenant = await checking.addTenant('acme')
    const names = Array.from({ length: 200 }, (_, n) => `n${n}.acme.test`)
    for (const name of names) await tenant.add(name)
    checking.clock.at += minute
    const workers = databases.map((database, n) => {
      const looks: string[] = []
      const { dns } = checking.context
      const counted: typeof dns = {
        ...dns,
        askNameservers(name, types) {
          looks.push(name)
          return dns.askNameservers(name, types)
        },
      }
      const context = { ...checking.context, database, dns: counted }
      return { looks, run: () => reconcileDue(context, { owner: `worker ${n}`, log }) }
    })
    await Promise.all(workers.map(({ run }) => run()))
    assert.deepEqual(workers.flatMap(({ looks }) => looks).sort(), names.toSorted())
    for (const database of databases) await database.close()
  })

  test('rows that another worker is leasing are skipped, not waited for', {
    skip,
    timeout: 60_000,
  }, async () => {
    await using where = await location()
    const [database, other] = await Promise.all([openDatabase(where, console), openDatabase(where, console)])
    await using checking = await startChecking(database)
    const tenant = await checking.addTenant('acme')
    const taken = await tenant.add('taken.acme.test')
    const free = await tenant.add('free.acme.test')
    const at = checking.clock.at + minute
    await other.write(async (tx) => {
      await tx.updateTable('domains').set({ lease_owner: 'other' }).where('id', '=', taken.id).execute()
      const leasing = { owner: 'worker', account: taken.account_id, now: at }
      assert.equal((await leaseNext(database, leasing))?.row.id, free.id)
      assert.equal(await leaseNext(database, leasing), null)
    })
    await other.close()
    await database.close()
  })
})
