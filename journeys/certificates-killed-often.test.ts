import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { MastheadProcess } from '@masthead/testing/masthead-process.ts'
import { skipWithout } from '@masthead/testing/peers/peers.ts'
import { temporaryFolder } from '@masthead/testing/temporary-folder.ts'
import { until } from '@masthead/testing/until.ts'
import { assertServed, startCaAndDns } from './ca-and-dns.ts'
import { createTenant, waitUntilLive } from './tenant.ts'

const names = Array.from({ length: 50 }, (_, index) => `n${index}.acme.test`)
/** The server is killed after this many further orders … */
const ordersBetween = 4
/** … plus these milliseconds, so that kills hit any point of an order. */
const kills = [90, 610, 270, 1010, 0, 450, 830, 180, 720, 360]

/** Reads from the database of a stopped server how many names wait and how many orders it has charged. */
function readCounts({ dataFolder }: MastheadProcess): { waiting: number; charged: number } {
  using database = new DatabaseSync(join(dataFolder, 'masthead.db'), { readOnly: true })
  const count = (query: string) => Number(database.prepare(query).get()?.count)
  return {
    waiting: count('select count(*) as count from certificate_jobs'),
    charged: count("select count(*) as count from issuance_log where outcome != 'refused'"),
  }
}

test('50 domains survive ten kills during their orders and cost hardly more than one order each', {
  skip: skipWithout('pebble', 'knot'),
  timeout: 1_200_000,
}, async (t) => {
  await using around = await startCaAndDns()
  const { pebble } = around
  await using data = await temporaryFolder('masthead-data')
  const options = { ...around.masthead, dataFolder: data.path }

  // Verified by a server without a worker, so that nothing is ordered yet.
  const withoutWorker = { ...options, env: { ...options.env, MASTHEAD_ROLES: 'api,edge' } }
  const preparing = await MastheadProcess.start(withoutWorker)
  const tenant = await createTenant(preparing, 'acme')
  await around.point(...(await Promise.all(names.map(tenant.add))))
  await Promise.all(names.map(tenant.verify))
  await preparing.stop()
  assert.deepEqual(readCounts(preparing), { waiting: names.length, charged: 0 })

  // From here on everything happens automatically, and the CA keeps running during the kills.
  await using masthead = await MastheadProcess.start(options)
  for (const [index, delay] of kills.entries()) {
    await until(() => pebble.ordersMade() > index * ordersBetween, { everyMs: 1 })
    await sleep(delay)
    await masthead.kill('SIGKILL')
    assert.ok(readCounts(masthead).waiting > 0, `all names were finished before kill ${index + 1}`)
    await masthead.restart()
  }
  const live = await waitUntilLive(tenant)
  assert.deepEqual(live.map(({ hostname }) => hostname).toSorted(), names.toSorted())
  await assertServed(masthead, names, { root: await pebble.issuerRootPem(), page: 'acme' })

  await masthead.kill('SIGTERM')
  const placed = pebble.ordersMade()
  t.diagnostic(`${placed} orders for ${names.length} names`)
  assert.ok(placed <= names.length * 1.1, `${placed} orders were placed`)
  assert.deepEqual(readCounts(masthead), { waiting: 0, charged: placed })
})
