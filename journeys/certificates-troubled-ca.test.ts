import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Domain } from '@masthead/contract/schemas/domains/domain.ts'
import { MastheadProcess } from '@masthead/testing/masthead-process.ts'
import { skipWithout } from '@masthead/testing/peers/peers.ts'
import { until } from '@masthead/testing/until.ts'
import { assertServed, startCaAndDns } from './ca-and-dns.ts'
import { createTenant, domainsOf, type Tenant, waitUntilLive } from './tenant.ts'

const skip = skipWithout('pebble', 'knot')
const names = Array.from({ length: 12 }, (_, index) => `n${index}.acme.test`)

/** The kinds of certificate problems in the timelines. */
async function problemKinds({ client }: Tenant): Promise<unknown[]> {
  const kinds: unknown[] = []
  for (const hostname of names) {
    const { items } = await client.listTimeline({ params: { project: 'acme', hostname } })
    for (const { kind, data } of items) if (kind === 'certificate_problem') kinds.push(data.kind)
  }
  return kinds
}

test('domains go live without a reported problem though the CA rejects 30% of nonces', {
  skip,
  timeout: 300_000,
}, async () => {
  await using around = await startCaAndDns({ nonceReject: 30 })
  await using masthead = await MastheadProcess.start(around.masthead)
  const tenant = await createTenant(masthead, 'acme')
  await around.point(...(await Promise.all(names.map(tenant.add))))
  await Promise.all(names.map(tenant.verify))
  assert.equal((await waitUntilLive(tenant)).length, names.length)
  assert.equal(around.pebble.ordersMade(), names.length)
  assert.deepEqual(await problemKinds(tenant), [])
})

test('orders are placed again after the CA stops during them and forgets them', {
  skip,
  timeout: 300_000,
}, async () => {
  await using around = await startCaAndDns()
  const { pebble } = around
  await using masthead = await MastheadProcess.start(around.masthead)
  const tenant = await createTenant(masthead, 'acme')
  await around.point(...(await Promise.all(names.map(tenant.add))))
  const verifying = Promise.all(names.map(tenant.verify))
  await until(() => pebble.ordersMade() >= 2, { everyMs: 1 })
  await pebble.stop()
  await verifying
  let waiting: Domain[] = []
  await until(async () => {
    waiting = await domainsOf(tenant)
    return waiting.some(({ certificate }) => certificate.lastError !== null)
  })
  waiting = waiting.filter(({ state }) => state !== 'live')
  assert.ok(waiting.length > 0, 'it was stopped too late')

  await pebble.start()
  assert.equal((await waitUntilLive(tenant)).length, names.length)
  assert.ok((await problemKinds(tenant)).includes('unreachable'))
  const hostnames = waiting.map(({ hostname }) => hostname)
  await assertServed(masthead, hostnames, { root: await pebble.issuerRootPem(), page: 'acme' })
})
