import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { MastheadProcess } from '@masthead/testing/masthead-process.ts'
import { skipWithout } from '@masthead/testing/peers/peers.ts'
import { until } from '@masthead/testing/until.ts'
import { startCaAndDns } from './ca-and-dns.ts'
import { createTenant, domainsOf, type Tenant, waitUntilLive } from './tenant.ts'

const patience = 90_000
const many = Array.from({ length: 19 }, (_, index) => `www.many${index}.test`)

async function untilWaiting(tenant: Tenant, count: number): Promise<void> {
  for (const end = Date.now() + patience; ; await sleep(200)) {
    const kinds = (await domainsOf(tenant)).map(({ certificate }) => certificate.lastError?.kind)
    if (kinds.filter((kind) => kind === 'budget').length === count) return
    assert.ok(Date.now() < end, `The kinds are ${kinds}`)
  }
}

test('an account with more names than its share waits for the rest, and another goes live immediately', {
  skip: skipWithout('pebble', 'knot'),
  timeout: 300_000,
}, async () => {
  await using around = await startCaAndDns()
  const env = { ...around.masthead.env, MASTHEAD_CA_BUDGET: '20/3h' }
  await using masthead = await MastheadProcess.start({ ...around.masthead, env })
  const [hog, other] = [await createTenant(masthead, 'hog'), await createTenant(masthead, 'other')]
  const domains = await Promise.all(many.map(hog.add))
  await around.point(...domains)
  await Promise.all(many.map(hog.verify))
  // Of 20 orders, 4 are reserved for renewals, and a third of what the account ordered for others.
  await untilWaiting(hog, many.length - 12)
  await until(() => around.pebble.ordersMade() >= 12)
  assert.equal(around.pebble.ordersMade(), 12)
  const waiting = (await domainsOf(hog)).filter(({ certificate }) => certificate.lastError?.kind === 'budget')
  assert.ok(waiting.every(({ certificate }) => certificate.nextAttemptAt !== null))

  // Not before: its DNS is checked automatically too.
  await around.point(...domains, await other.add('www.other.test'))
  await other.verify('www.other.test')
  await waitUntilLive(other)
  assert.equal(around.pebble.ordersMade(), 13)
})
