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

const names = Array.from({ length: 20 }, (_, index) => `n${index}.acme.test`)
/** Milliseconds from the first order after each start to the kill. The last one waits until an order is stored. */
const kills = [0, 30, 60, 120, null]

/**
 * Reads from the database of the server the names with an open order, and how many orders each name has had,
 * except those the CA failed, for example because nothing responded to a challenge.
 */
function storedOrders({ dataFolder }: MastheadProcess): {
  openOrders: string[]
  placed: Map<string, number>
} {
  using database = new DatabaseSync(join(dataFolder, 'masthead.db'), { readOnly: true })
  const openOrders = database.prepare('select name from certificate_jobs where order_url is not null').all()
  const placed = database
    .prepare('select name, count(*) as times from issuance_log where outcome != ? group by name')
    .all('failed')
  return {
    openOrders: openOrders.map(({ name }) => String(name)),
    placed: new Map(placed.map(({ name, times }) => [String(name), Number(times)])),
  }
}

test('none of 20 domains is lost when the server is repeatedly killed during their orders', {
  skip: skipWithout('pebble', 'knot'),
  timeout: 300_000,
}, async (t) => {
  await using around = await startCaAndDns()
  await using masthead = await MastheadProcess.start(around.masthead)
  const tenant = await createTenant(masthead, 'acme')
  await around.point(...(await Promise.all(names.map(tenant.add))))

  // From here on everything happens automatically.
  around.pebble.pause()
  await Promise.all(names.map(tenant.verify))

  const isAllOrdered = () => around.pebble.ordersMade() >= names.length
  /** For each name whose order was interrupted, how many orders it had had by then. */
  const interrupted = new Map<string, number>()
  for (const afterOrder of kills) {
    const before = around.pebble.ordersMade()
    around.pebble.resume()
    await until(() => around.pebble.ordersMade() > before || isAllOrdered(), { everyMs: 1 })
    if (afterOrder === null) await until(() => storedOrders(masthead).openOrders.length > 0, { everyMs: 5 })
    else await sleep(afterOrder)
    // Otherwise everything would be finished before we notice that the server is back.
    around.pebble.pause()
    await masthead.kill('SIGKILL')
    const { openOrders, placed } = storedOrders(masthead)
    for (const name of openOrders) if (!interrupted.has(name)) interrupted.set(name, placed.get(name) ?? 0)
    await masthead.restart()
  }
  around.pebble.resume()
  const live = await waitUntilLive(tenant)
  assert.deepEqual(live.map(({ hostname }) => hostname).toSorted(), names.toSorted())
  await assertServed(masthead, names, { root: await around.pebble.issuerRootPem(), page: 'acme' })

  await masthead.kill('SIGTERM')
  const { openOrders, placed } = storedOrders(masthead)
  assert.deepEqual(openOrders, [])
  t.diagnostic(`${interrupted.size} orders were resumed, ${around.pebble.ordersMade()} placed`)
  assert.ok(interrupted.size > 0, 'no kill hit an open order')
  for (const [name, times] of interrupted) {
    assert.ok((placed.get(name) ?? 0) <= times, `${name} was ordered again`)
  }
})
