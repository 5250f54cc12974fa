import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { MastheadProcess } from '@masthead/testing/masthead-process.ts'
import { skipWithout } from '@masthead/testing/peers/peers.ts'
import { until } from '@masthead/testing/until.ts'
import { assertServed, startCaAndDns } from './ca-and-dns.ts'
import { createTenant, waitUntilLive } from './tenant.ts'

const names = Array.from({ length: 8 }, (_, index) => `n${index}.acme.test`)
/** Milliseconds from an order of the CA to the kill. */
const kills = [0, 60, 250, 120, 500]

const openDatabase = ({ dataFolder }: MastheadProcess) => new DatabaseSync(join(dataFolder, 'masthead.db'))

/** The serial numbers of all certificates of the names. */
function readSerials(masthead: MastheadProcess): Set<string> {
  using database = openDatabase(masthead)
  const rows = database.prepare("select serial from certificates where name like 'n%.acme.test'").all()
  return new Set(rows.map(({ serial }) => String(serial)))
}

test('domains are served while their renewals are killed again and again, and cost hardly more than one order each', {
  skip: skipWithout('pebble', 'knot'),
  timeout: 600_000,
}, async (t) => {
  await using around = await startCaAndDns()
  const { pebble } = around
  await using masthead = await MastheadProcess.start(around.masthead)
  const tenant = await createTenant(masthead, 'acme')
  await around.point(...(await Promise.all(names.map(tenant.add))))
  await Promise.all(names.map(tenant.verify))
  await waitUntilLive(tenant)
  await masthead.kill('SIGTERM')
  const before = { serials: readSerials(masthead), orders: pebble.ordersMade() }
  assert.equal(before.serials.size, names.length)
  {
    using database = openDatabase(masthead)
    database.exec("update certificates set renew_at = 0, check_at = 0 where name like 'n%.acme.test'")
  }

  const served = { root: await pebble.issuerRootPem(), page: 'acme' }
  await masthead.restart()
  for (const delay of kills) {
    const made = pebble.ordersMade()
    await until(() => pebble.ordersMade() > made || made >= before.orders + names.length, { everyMs: 1 })
    await sleep(delay)
    await masthead.kill('SIGKILL')
    await masthead.restart()
    await assertServed(masthead, names, served)
  }
  await until(() => readSerials(masthead).intersection(before.serials).size === 0, { atMostMs: 180_000 })
  await assertServed(masthead, names, served)
  const placed = pebble.ordersMade() - before.orders
  t.diagnostic(`${placed} orders for ${names.length} renewals`)
  assert.ok(placed <= names.length + kills.length, `${placed} orders were placed`)
})
