import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { MastheadProcess } from '@masthead/testing/masthead-process.ts'
import { skipWithout } from '@masthead/testing/peers/peers.ts'
import { assertServed, startCaAndDns } from './ca-and-dns.ts'
import { createTenant, waitUntilLive } from './tenant.ts'

const names = Array.from({ length: 20 }, (_, index) => `n${index}.acme.test`)
/** It is killed so many milliseconds after the CA took the first order since its last start. */
const kills = [0, 30, 60, 120]
const longestRound = 5_000

/**
 * What a server that is down has stored: names whose order is under way, and how many orders each name has had, without
 * those that the CA itself ended, such as when it came to look at a challenge and nobody was there.
 */
function storedOrders({ dataFolder }: MastheadProcess): { underWay: string[]; made: Map<string, number> } {
  using database = new DatabaseSync(join(dataFolder, 'masthead.db'), { readOnly: true })
  const underWay = database.prepare('select name from certificate_jobs where order_url is not null').all()
  const made = database
    .prepare('select name, count(*) as times from issuance_log where outcome != ? group by name')
    .all('failed')
  return {
    underWay: underWay.map(({ name }) => String(name)),
    made: new Map(made.map(({ name, times }) => [String(name), Number(times)])),
  }
}

test('of 20 domains none is lost by a server that is killed in the midst of their orders, again and again', {
  skip: skipWithout('pebble', 'knot'),
  timeout: 300_000,
}, async (t) => {
  await using around = await startCaAndDns()
  await using masthead = await MastheadProcess.start(around.masthead)
  const tenant = await createTenant(masthead, 'acme')
  await around.point(...(await Promise.all(names.map(tenant.add))))

  // Nobody is asked for anything after this.
  around.pebble.pause()
  await Promise.all(names.map(tenant.verify))

  /** Names by how often they had been ordered when an order of theirs, under way then, was cut off. */
  const cutOff = new Map<string, number>()
  for (const afterOrder of kills) {
    const before = around.pebble.ordersMade()
    const end = Date.now() + longestRound
    around.pebble.resume()
    while (around.pebble.ordersMade() === before && Date.now() < end) await sleep(1)
    await sleep(afterOrder)
    await masthead.kill('SIGKILL')
    // It would be done with everything before the server is known to be back.
    around.pebble.pause()
    const { underWay, made } = storedOrders(masthead)
    for (const name of underWay) if (!cutOff.has(name)) cutOff.set(name, made.get(name) ?? 0)
    await masthead.restart()
  }
  around.pebble.resume()
  const live = await waitUntilLive(tenant)
  assert.deepEqual(live.map(({ hostname }) => hostname).toSorted(), names.toSorted())
  await assertServed(masthead, names, { root: await around.pebble.issuerRootPem(), page: 'acme' })

  await masthead.kill('SIGTERM')
  const { underWay, made } = storedOrders(masthead)
  assert.deepEqual(underWay, [])
  t.diagnostic(`${cutOff.size} orders were taken up again, ${around.pebble.ordersMade()} made`)
  assert.ok(cutOff.size > 0, 'no kill came in the midst of an order')
  for (const [name, times] of cutOff) {
    assert.ok((made.get(name) ?? 0) <= times, `${name} was ordered again`)
  }
})
