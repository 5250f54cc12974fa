import assert from 'node:assert/strict'
import { test } from 'node:test'
import { skipWithout } from '@masthead/testing/peers/peers.ts'
import { onEachDatabase } from '../../database/each-database.test-kit.ts'
import { day, hour, isoTime, minute, second } from '../../kernel/clock.ts'
import { faultProxy } from '../fault-proxy.test-kit.ts'
import { startPebbleCa } from '../issuing.test-kit.ts'
import { findJob } from '../jobs/job-store.ts'

const skip = skipWithout('pebble')
const name = 'www.acme.test'

const unfinished = {
  status: 'processing',
  identifiers: [],
  authorizations: [],
  finalize: 'https://127.0.0.1/never',
}

onEachDatabase('an order that the CA does not finish', ({ open }) => {
  /** When it is looked at again, if the CA asks to wait for ten days. */
  async function untilNextLook(expires: number | null): Promise<number> {
    await using ca = await startPebbleCa()
    const body = { ...unfinished, ...(expires !== null && { expires: isoTime(Date.now() + expires) }) }
    const headers = { 'retry-after': `${(10 * day) / second}` }
    const proxy = faultProxy([{ path: '/my-order', status: 200, body, headers }])
    await using database = await open()
    await using node = await ca.startWorking(database, { fetch: proxy.fetch })
    await node.request(name)
    const isReleased = (job?: { next_attempt_at: number | null; lease_owner: string | null }) =>
      job !== undefined && job.lease_owner === null && Number(job.next_attempt_at) > Date.now()
    await node.until(async () => isReleased(await findJob(database.read, name)))
    assert.equal((await node.state(name)).attempts, 0)
    return Number((await findJob(database.read, name))?.next_attempt_at) - Date.now()
  }

  test('is looked at again within the hour, however long the CA asks to wait', { skip }, async () => {
    const next = await untilNextLook(null)
    assert.ok(next > 50 * minute && next <= hour, `${next}`)
  })

  test('is looked at again when it expires, if that is sooner', { skip }, async () => {
    const next = await untilNextLook(20 * minute)
    assert.ok(next > 10 * minute && next <= 20 * minute, `${next}`)
  })

  test('is replaced after a week, also if the CA never says when it expires', { skip }, async () => {
    await using ca = await startPebbleCa()
    const headers = { 'retry-after': '3600' }
    const proxy = faultProxy([{ path: '/my-order', status: 200, body: unfinished, headers }])
    await using database = await open()
    await using node = await ca.startWorking(database, { fetch: proxy.fetch })
    const looks = () => proxy.requests.filter(({ path }) => path.startsWith('/my-order')).length
    await node.request(name)
    await node.until(async () => (await findJob(database.read, name))?.lease_owner === null && looks() === 1)
    for (const passed of [day, 6 * day]) {
      const before = looks()
      node.clock.ahead = passed
      await node.request(name)
      await node.until(async () => looks() > before)
      await node.until(async () => (await findJob(database.read, name))?.lease_owner === null)
      assert.equal(ca.orders.length, 1)
    }
    node.clock.ahead = 7 * day
    proxy.faults.push({ path: '/my-order', status: 200, body: unfinished, headers, times: 1 })
    proxy.faults.shift()
    await node.request(name)
    // By this clock, the new order of the CA has expired already.
    await node.until(() => ca.orders.length === 2)
  })
})
