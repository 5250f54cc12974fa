import assert from 'node:assert/strict'
import { test } from 'node:test'
import { MastheadProcess } from '@masthead/testing/masthead-process.ts'
import { skipWithout } from '@masthead/testing/peers/peers.ts'
import { assertServed, startCaAndDns } from './ca-and-dns.ts'
import { createTenant, waitUntilLive } from './tenant.ts'

const names = Array.from({ length: 200 }, (_, index) => `n${index}.acme.test`)

test('200 domains verified at once all go live, with one order each', {
  skip: skipWithout('pebble', 'knot'),
  timeout: 300_000,
}, async (t) => {
  await using around = await startCaAndDns()
  await using masthead = await MastheadProcess.start(around.masthead)
  const tenant = await createTenant(masthead, 'acme')
  await around.point(...(await Promise.all(names.map(tenant.add))))
  const startedAt = Date.now()
  await Promise.all(names.map(tenant.verify))
  const live = await waitUntilLive(tenant)
  t.diagnostic(`all live ${Date.now() - startedAt} ms after the first request`)
  assert.deepEqual(live.map(({ hostname }) => hostname).toSorted(), names.toSorted())
  assert.equal(around.pebble.ordersMade(), names.length)
  assert.deepEqual(new Set(live.map(({ certificate }) => certificate.attempts)), new Set([0]))
  await assertServed(masthead, names, { root: await around.pebble.issuerRootPem(), page: 'acme' })
})
