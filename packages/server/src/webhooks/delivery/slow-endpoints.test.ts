import assert from 'node:assert/strict'
import type { ServerResponse } from 'node:http'
import { test } from 'node:test'
import { until } from '@masthead/testing/until.ts'
import type { Database } from '../../database/database.ts'
import { onEachDatabase } from '../../database/each-database.test-kit.ts'
import { openChangeFeed } from '../../events/change-feed.ts'
import { hour, minute } from '../../kernel/clock.ts'
import { startReceiver, startWebhooks } from '../webhooks.test-kit.ts'
import { waitingWork } from './outbox-store.ts'
import { startWebhookWorker, type WebhookWorkerOptions } from './worker.ts'

const log = { warn: console.error, error: console.error }
/** No attempt ends before the test ends it. */
const timeouts = { resolve: minute, connect: minute, headers: hour, body: hour }

/** Endpoints of some accounts, which answer when the test says so, and that of an account with an event to come. */
async function startEndpoints(database: Database, options: Partial<WebhookWorkerOptions>) {
  const held: ServerResponse[] = []
  let received = 0
  const slow = await startReceiver((_message, _req, res) => held.push(res))
  const healthy = await startReceiver((_message, _req, res) => {
    received++
    res.end()
  })
  const webhooks = await startWebhooks(database, { url: slow.url })
  const context = { ...webhooks.context, rules: { allowsLoopback: true } }
  const changes = await openChangeFeed(context, log)
  const worker = startWebhookWorker({ ...context, changes }, { log, isAlone: true, timeouts, ...options })
  const account = await webhooks.addAccount()
  return {
    webhooks,
    /** The healthy one. */
    account,
    held,
    async addSlow() {
      const one = await webhooks.addAccount()
      await webhooks.add(one)
      return one
    },
    /** The healthy account's first event: that its webhook was created. */
    recordHealthy: () => webhooks.add(account, { url: healthy.url }),
    received: () => received,
    async [Symbol.asyncDispose]() {
      for (const res of held) res.end()
      await worker.stop()
      await changes.close()
      await slow[Symbol.asyncDispose]()
      await healthy[Symbol.asyncDispose]()
    },
  }
}

onEachDatabase('endpoints of others that were delivered to', ({ open }) => {
  test('leave a free slot to a new one', async () => {
    await using database = await open()
    await using endpoints = await startEndpoints(database, { concurrency: 4, slowAfter: hour })
    const { held, webhooks } = endpoints
    const accounts = [webhooks.account, await endpoints.addSlow(), await endpoints.addSlow()]
    for (let answered = 0; answered < accounts.length; answered++) {
      await until(() => held.length > 0)
      held.shift()?.end()
    }
    await until(async () => (await waitingWork(database.read)).dueAt === null)
    for (const one of accounts) await webhooks.record('account.renamed', undefined, {}, one)
    await until(() => held.length === 3)
    await endpoints.recordHealthy()
    await until(() => endpoints.received() === 1)
    assert.equal(held.length, 3)
  })
})

onEachDatabase('slow endpoints of others', ({ open }) => {
  test('hold up a delivery for one attempt at most, however much waits for them', async () => {
    await using database = await open()
    await using endpoints = await startEndpoints(database, { concurrency: 2, claimFor: 0 })
    const { held, webhooks } = endpoints
    const second = await endpoints.addSlow()
    await until(() => held.length === 2)
    for (const one of [webhooks.account, second]) await webhooks.record('account.renamed', undefined, {}, one)
    await endpoints.addSlow()
    await endpoints.recordHealthy()
    await until(async () => !(await waitingWork(database.read)).hasEvents)
    // Now they have waited for longer than what comes next.
    webhooks.clock.at += 1
    // No other attempt is answered.
    for (const res of held.splice(0)) res.end()
    await until(() => endpoints.received() === 1)
  })

  test('cannot have the slots that are left for endpoints that are not known to be slow', async () => {
    await using database = await open()
    await using endpoints = await startEndpoints(database, { concurrency: 4, slowAfter: -1 })
    const { held, webhooks } = endpoints
    const accounts = [webhooks.account]
    for (let more = 0; more < 5; more++) accounts.push(await endpoints.addSlow())
    for (let answered = 0; answered < accounts.length; answered++) {
      await until(() => held.length > 0)
      held.shift()?.end()
    }
    for (const one of accounts) await webhooks.record('account.renamed', undefined, {}, one)
    await until(() => held.length === 2)
    await endpoints.recordHealthy()
    await until(() => endpoints.received() === 1)
    assert.equal(held.length, 2)
  })

  test('cannot have the slots of those that were delivered to, although they are new', async () => {
    await using database = await open()
    await using endpoints = await startEndpoints(database, { concurrency: 4, slowAfter: hour })
    await endpoints.recordHealthy()
    await until(() => endpoints.received() === 1)
    for (let more = 0; more < 5; more++) await endpoints.addSlow()
    await until(() => endpoints.held.length === 3)
    await until(async () => !(await waitingWork(database.read)).hasEvents)
    // Now they have waited for longer than what comes next.
    endpoints.webhooks.clock.at += 1
    await endpoints.webhooks.record('account.renamed', undefined, {}, endpoints.account)
    await until(() => endpoints.received() === 2)
    assert.equal(endpoints.held.length, 3)
  })

  test('do not keep an account from being considered', async () => {
    await using database = await open()
    const webhooks = await startWebhooks(database)
    for (let index = 0; index < 4; index++) await webhooks.add()
    webhooks.clock.at += 1
    const later = await webhooks.addAccount()
    const webhook = await webhooks.add(later)
    const claimed = await webhooks.claim({ mostCandidates: 3 })
    assert.equal(claimed.length, 3)
    assert.ok(claimed.some(({ queue }) => queue.webhook_id === webhook.id))
  })

  test('do not keep one that was delivered to from being considered, however many accounts they are of', async () => {
    await using database = await open()
    const webhooks = await startWebhooks(database)
    const [first] = await webhooks.claim()
    assert.ok(first)
    await webhooks.answer(first, 200)
    for (let index = 0; index < 4; index++) await webhooks.add(await webhooks.addAccount())
    // Their events are in queues from now on.
    assert.deepEqual(await webhooks.claim({ mostCandidates: 0 }), [])
    webhooks.clock.at += 1
    await webhooks.record('account.renamed')
    const claimed = await webhooks.claim({ mostCandidates: 3 })
    assert.ok(claimed.some(({ queue }) => queue.webhook_id === webhooks.webhook.id))
  })
})
