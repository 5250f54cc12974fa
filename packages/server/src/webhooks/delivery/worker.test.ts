import assert from 'node:assert/strict'
import type { ServerResponse } from 'node:http'
import { test } from 'node:test'
import { until } from '@masthead/testing/until.ts'
import { onEachDatabase } from '../../database/each-database.test-kit.ts'
import { startAnswerer } from '../../dns/answerer.test-kit.ts'
import { createDns } from '../../dns/dns.ts'
import { openChangeFeed } from '../../events/change-feed.ts'
import { startReceiver, startWebhooks } from '../webhooks.test-kit.ts'
import { schedule } from './schedule.ts'
import { startWebhookWorker } from './worker.ts'

const log = { warn: console.error, error: console.error }

onEachDatabase('a worker that is stopped while endpoints take their time', ({ open }) => {
  /** A worker that waits for the first answer of an endpoint, which the test gives. */
  async function startWaiting(stopGrace: number, { failures = 0 } = {}) {
    const database = await open()
    const waiting: ServerResponse[] = []
    const receiver = await startReceiver((_message, _req, res) => waiting.push(res))
    const webhooks = await startWebhooks(database, { url: receiver.url })
    await database.write((tx) => tx.updateTable('webhooks').set({ failures }).execute())
    const context = { ...webhooks.context, rules: { allowsLoopback: true } }
    const changes = await openChangeFeed(context, log)
    const worker = startWebhookWorker({ ...context, changes }, { log, isAlone: false, stopGrace })
    await until(() => waiting.length === 1)
    return {
      webhooks,
      worker,
      answer: () => waiting[0]?.end('thanks'),
      received: () => waiting.length,
      leases: () =>
        database.read
          .selectFrom('webhook_queues')
          .select('lease_owner')
          .where('lease_owner', 'is not', null)
          .execute(),
      async [Symbol.asyncDispose]() {
        await changes.close()
        await receiver[Symbol.asyncDispose]()
        await database[Symbol.asyncDispose]()
      },
    }
  }

  test('waits for an answer, and sends nothing after it', async () => {
    await using endpoint = await startWaiting(60_000)
    await endpoint.webhooks.record('webhook.changed')
    await until(async () => (await endpoint.webhooks.states()).length === 2)
    const stopped = endpoint.worker.stop()
    endpoint.answer()
    await stopped
    assert.deepEqual(await endpoint.webhooks.states(), [
      'webhook.created delivered',
      'webhook.changed pending',
    ])
    assert.equal(endpoint.received(), 1)
    assert.deepEqual(await endpoint.leases(), [])
  })

  test('leaves a delivery without an answer to another worker, and it does not count as a failure', async () => {
    await using endpoint = await startWaiting(50)
    await endpoint.worker.stop()
    assert.deepEqual(await endpoint.webhooks.states(), ['webhook.created pending'])
    const { failures, failing_since, paused_until } = await endpoint.webhooks.row()
    assert.deepEqual([failures, failing_since, paused_until], [0, null, 0])
    const [again] = await endpoint.webhooks.claim()
    assert.equal(again?.head.type, 'webhook.created')
  })

  test('leaves the one attempt at an endpoint that fails to another worker, too', async () => {
    await using endpoint = await startWaiting(50, { failures: schedule.failuresUntilPaused })
    const { clock, row, claim } = endpoint.webhooks
    assert.ok((await row()).paused_until > clock.at)
    await endpoint.worker.stop()
    assert.equal((await row()).paused_until, 0)
    const [again] = await claim()
    assert.equal(again?.head.type, 'webhook.created')
  })
})

onEachDatabase('a worker whose question for an address is not answered', ({ open }) => {
  test('counts a failure of the endpoint', async () => {
    await using database = await open()
    await using server = await startAnswerer(() => {})
    const dns = createDns({ servers: [server], authoritativePort: server.port, allowPrivate: true })
    const { context, row } = await startWebhooks(database, { url: 'http://silent.example/hook' })
    const changes = await openChangeFeed(context, log)
    const timeouts = { resolve: 50, connect: 50, headers: 50, body: 50 }
    const worker = startWebhookWorker({ ...context, dns, changes }, { log, isAlone: false, timeouts })
    await until(async () => (await row()).failures === 1)
    await worker.stop()
    await changes.close()
    const query = database.read.selectFrom('webhook_deliveries').select('attempts')
    const [attempt] = JSON.parse((await query.executeTakeFirstOrThrow()).attempts)
    assert.equal(attempt.error, 'We found no address of silent.example in time')
  })
})
