import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { MastheadProcess } from '@masthead/testing/masthead-process.ts'
import { skipWithout } from '@masthead/testing/peers/peers.ts'
import { temporaryFolder } from '@masthead/testing/temporary-folder.ts'
import { assertServed, startCaAndDns } from './ca-and-dns.ts'
import { createTenant, waitUntilLive } from './tenant.ts'

const names = Array.from({ length: 50 }, (_, index) => `n${index}.acme.test`)
/** It is killed after every so many orders, over all, … */
const ordersBetween = 4
/** … and so many milliseconds more, so that it is hit anywhere in the midst of one. */
const kills = [90, 610, 270, 1010, 0, 450, 830, 180, 720, 360]

/** What a server that is down has stored: how many names wait, and the orders that it believes it has made. */
function books({ dataFolder }: MastheadProcess): { waiting: number; charged: number } {
  using database = new DatabaseSync(join(dataFolder, 'masthead.db'), { readOnly: true })
  const count = (query: string) => Number(database.prepare(query).get()?.count)
  return {
    waiting: count('select count(*) as count from certificate_jobs'),
    charged: count("select count(*) as count from issuance_log where outcome != 'refused'"),
  }
}

test('50 domains survive ten kills in the midst of their orders, and cost hardly more than one order each', {
  skip: skipWithout('pebble', 'knot'),
  timeout: 1_200_000,
}, async (t) => {
  await using around = await startCaAndDns()
  const { pebble } = around
  await using data = await temporaryFolder('masthead-data')
  const options = { ...around.masthead, dataFolder: data.path }

  // All are verified before the first is ordered, by a server that orders nothing.
  const withoutWorker = { ...options, env: { ...options.env, MASTHEAD_ROLES: 'api,edge' } }
  const preparing = await MastheadProcess.start(withoutWorker)
  const tenant = await createTenant(preparing, 'acme')
  await around.point(...(await Promise.all(names.map(tenant.add))))
  await Promise.all(names.map(tenant.verify))
  await preparing.stop()
  assert.deepEqual(books(preparing), { waiting: names.length, charged: 0 })

  // Nobody is asked for anything after this, and the CA does not wait for the server either.
  await using masthead = await MastheadProcess.start(options)
  for (const [index, more] of kills.entries()) {
    while (pebble.ordersMade() <= index * ordersBetween) await sleep(1)
    await sleep(more)
    await masthead.kill('SIGKILL')
    assert.ok(books(masthead).waiting > 0, `everything was done before kill ${index + 1}`)
    await masthead.restart()
  }
  const live = await waitUntilLive(tenant)
  assert.deepEqual(live.map(({ hostname }) => hostname).toSorted(), names.toSorted())
  await assertServed(masthead, names, { root: await pebble.issuerRootPem(), page: 'acme' })

  await masthead.kill('SIGTERM')
  const made = pebble.ordersMade()
  t.diagnostic(`${made} orders for ${names.length} names`)
  assert.ok(made <= names.length * 1.1, `${made} orders were made`)
  assert.deepEqual(books(masthead), { waiting: 0, charged: made })
})
