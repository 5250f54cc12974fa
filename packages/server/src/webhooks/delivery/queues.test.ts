import assert from 'node:assert/strict'
import { test } from 'node:test'
import { webhookLimits } from '@masthead/contract/webhooks/webhooks.ts'
import { sql } from 'kysely'
import { onEachDatabase } from '../../database/each-database.test-kit.ts'
import { listEvents } from '../../events/list-events.ts'
import { system } from '../../events/record-event.ts'
import { day, hour, minute, second } from '../../kernel/clock.ts'
import { sendTest } from '../deliveries.ts'
import { stopAllWebhooks } from '../manage-webhooks.ts'
import { deleteBeyond, deleteFinishedBefore } from '../store.ts'
import { startWebhooks, type Webhooks } from '../webhooks.test-kit.ts'
import type { ClaimedQueue } from './queue-store.ts'

const types = (claimed: readonly ClaimedQueue[]) => claimed.map(({ head }) => head.type)

/** Delivers the event of the webhook's own creation. */
async function emptied(webhooks: Webhooks): Promise<Webhooks> {
  for (const claimed of await webhooks.claim()) await webhooks.answer(claimed, 200)
  assert.deepEqual(await webhooks.claim(), [])
  return webhooks
}

onEachDatabase('the queues of webhooks', ({ open }) => {
  test('send the events of a resource one after the other, and those of others meanwhile', async () => {
    await using database = await open()
    const webhooks = await emptied(await startWebhooks(database))
    for (const type of ['deployment.ready', 'deployment.activated'] as const) {
      await webhooks.record(type, 'prj_1')
      await webhooks.record(type, 'prj_2')
    }
    const [one, two, ...more] = await webhooks.claim()
    assert.ok(one && two)
    assert.deepEqual([types([one, two]), more], [['deployment.ready', 'deployment.ready'], []])
    assert.deepEqual(await webhooks.claim(), [])
    const next = await webhooks.answer(one, 200, { goOn: true })
    assert.equal(next?.head.type, 'deployment.activated')
    assert.deepEqual(await webhooks.claim(), [])
    assert.equal(await webhooks.answer(next, 204, { goOn: true }), null)
    assert.equal(await webhooks.answer(two, 200), null)
    assert.deepEqual(types(await webhooks.claim()), ['deployment.activated'])
  })

  test('get nothing from a transaction that fails, or for an account without webhooks', async () => {
    await using database = await open()
    const webhooks = await emptied(await startWebhooks(database))
    const other = await webhooks.addAccount()
    await webhooks.record('project.created', 'prj_9', {}, other)
    await assert.rejects(webhooks.record('project.created', 'prj_1', { toJSON: () => assert.fail('no') }))
    assert.deepEqual(await database.read.selectFrom('webhook_outbox').selectAll().execute(), [])
    assert.deepEqual(await webhooks.claim(), [])
  })

  test('contain what the filter lets through', async () => {
    await using database = await open()
    const webhooks = await emptied(await startWebhooks(database))
    const filtered = await webhooks.add(webhooks.account, { events: ['domain.live'] })
    await webhooks.record('domain.added', 'prj_1')
    await webhooks.record('domain.live', 'prj_1')
    const claimed = await webhooks.claim()
    assert.deepEqual(types(claimed.filter(({ webhook }) => webhook.id === filtered.id)), ['domain.live'])
    assert.deepEqual(types(claimed.filter(({ webhook }) => webhook.id === webhooks.webhook.id)).toSorted(), [
      'domain.added',
      'webhook.created',
    ])
  })

  test('a failure delays its own resource only, longer each time', async () => {
    await using database = await open()
    const webhooks = await emptied(await startWebhooks(database))
    await webhooks.record('project.changed', 'prj_1')
    const [first] = await webhooks.claim()
    assert.ok(first)
    await webhooks.answer(first, 500)
    await webhooks.record('project.changed', 'prj_2')
    const [other] = await webhooks.claim()
    assert.equal(other?.head.resource, 'prj_2')
    webhooks.clock.at += 6 * second
    const [again, ...none] = await webhooks.claim()
    assert.ok(again && none.length === 0)
    await webhooks.answer(again, null)
    webhooks.clock.at += 29 * second
    assert.deepEqual(await webhooks.claim(), [])
    webhooks.clock.at += 8 * second
    assert.equal((await webhooks.claim())[0]?.head.attempt_count, 2)
  })

  test('a worker that lost its lease changes nothing, and the delivery is made again', async () => {
    await using database = await open()
    const webhooks = await emptied(await startWebhooks(database))
    await webhooks.record('project.changed', 'prj_1')
    const [slow] = await webhooks.claim({ leaseFor: minute })
    assert.ok(slow)
    webhooks.clock.at += minute - 1
    assert.deepEqual(await webhooks.claim(), [])
    webhooks.clock.at += 1
    const [other] = await webhooks.claim()
    assert.equal(other?.head.id, slow.head.id)
    assert.equal(await webhooks.answer(slow, 200, { goOn: true }), null)
    assert.match((await webhooks.states()).at(-1) ?? '', /pending/)
    await webhooks.answer(other, 200)
    assert.match((await webhooks.states()).at(-1) ?? '', /delivered/)
  })

  test('workers of several nodes never have the same queue', async () => {
    await using database = await open()
    const webhooks = await emptied(await startWebhooks(database))
    for (let index = 0; index < 12; index++) await webhooks.record('project.changed', `prj_${index}`)
    const claims = await Promise.all(Array.from({ length: 6 }, () => webhooks.claim()))
    const resources = claims.flat().map(({ head }) => head.resource)
    assert.equal(new Set(resources).size, resources.length)
    assert.ok(resources.length >= 4)
  })

  test('after five failures in a row one attempt at a time is made, and a success lets everything through', async () => {
    await using database = await open()
    const webhooks = await emptied(await startWebhooks(database))
    for (let index = 0; index < 8; index++) await webhooks.record('project.changed', `prj_${index}`)
    for (const claimed of await webhooks.claim()) await webhooks.answer(claimed, 500)
    for (const claimed of await webhooks.claim()) await webhooks.answer(claimed, 500)
    assert.deepEqual(await webhooks.claim(), [])
    await webhooks.record('project.changed', 'prj_new')
    assert.deepEqual(await webhooks.claim(), [])
    webhooks.clock.at += 10 * minute
    const [probe, ...none] = await webhooks.claim()
    assert.ok(probe && none.length === 0)
    assert.deepEqual(await webhooks.claim(), [])
    await webhooks.answer(probe, 200)
    assert.equal((await webhooks.claim({ perWebhook: 20 })).length, 8)
  })

  test('a test that a person asks for passes the open circuit breaker, whatever fails meanwhile', async () => {
    await using database = await open()
    const webhooks = await emptied(await startWebhooks(database))
    const { account, context, webhook } = webhooks
    const askForTest = () => sendTest(context, { accountId: account.id, webhookId: webhook.id, by: system })
    for (let index = 0; index < 8; index++) await webhooks.record('project.changed', `prj_${index}`)
    for (let round = 0; round < 2; round++) {
      for (const claimed of await webhooks.claim()) await webhooks.answer(claimed, 500)
    }
    webhooks.clock.at += 10 * minute
    const [heldBack] = await webhooks.claim()
    assert.ok(heldBack)
    await askForTest()
    await webhooks.answer(heldBack, 500)
    const [asked, ...none] = await webhooks.claim()
    assert.deepEqual([asked?.head.type, none], ['webhook.test', []])
    assert.ok(asked)
    // The next one is asked for while that one is under way, and fails after it.
    await askForTest()
    await webhooks.answer(asked, 500)
    assert.equal((await webhooks.row()).disabled_at, null)
    const [again] = await webhooks.claim()
    assert.ok(again)
    assert.equal(again.head.type, 'webhook.test')
    await webhooks.answer(again, 200)
    assert.equal((await webhooks.row()).failures, 0)
    const all = (await webhooks.claim({ perWebhook: 20 })).map(({ head }) => head)
    assert.equal(all.filter(({ type }) => type === 'project.changed').length, 8)
    const repeated = all.filter(({ type }) => type === 'webhook.test')
    assert.deepEqual(
      repeated.map(({ id, attempt_count }) => [id, attempt_count]),
      [[asked.head.id, 1]],
    )
  })

  test('an account with many events leaves room for others, and so does a webhook', async () => {
    await using database = await open()
    const webhooks = await emptied(await startWebhooks(database))
    const quiet = await webhooks.addAccount()
    await webhooks.add(quiet)
    for (let index = 0; index < 40; index++) await webhooks.record('project.changed', `prj_${index}`)
    const claimed = await webhooks.claim({ concurrency: 20, perWebhook: 40 })
    const busy = claimed.filter(({ queue }) => queue.account_id === webhooks.account.id)
    assert.ok(busy.length <= 5, String(busy.length))
    assert.equal(claimed.length - busy.length, 1)
  })

  test('an event is given up after 24 hours, with those that waited behind it, and not before', async () => {
    await using database = await open()
    const webhooks = await emptied(await startWebhooks(database))
    const fail = async () => {
      for (const claimed of await webhooks.claim()) await webhooks.answer(claimed, 503)
    }
    await webhooks.record('project.changed', 'prj_1')
    await webhooks.record('deployment.ready', 'prj_1')
    await webhooks.claim()
    webhooks.clock.at += 2 * minute
    await fail()
    webhooks.clock.at += 24 * hour - 3 * minute
    await webhooks.record('deployment.activated', 'prj_1')
    await fail()
    assert.deepEqual((await webhooks.states()).slice(1), [
      'project.changed pending',
      'deployment.ready pending',
      'deployment.activated pending',
    ])
    webhooks.clock.at += 5 * hour
    await fail()
    assert.deepEqual((await webhooks.states()).slice(1), [
      'project.changed failed',
      'deployment.ready failed',
      'deployment.activated pending',
    ])
    webhooks.clock.at += hour
    assert.deepEqual(types(await webhooks.claim()), ['deployment.activated'])
  })

  test('five days without a success disable the webhook, with an event; one success prevents it', async () => {
    await using database = await open()
    const webhooks = await emptied(await startWebhooks(database))
    const attempt = async (status: number) => {
      await webhooks.record('project.changed', 'prj_1')
      for (const claimed of await webhooks.claim()) await webhooks.answer(claimed, status)
    }
    await attempt(500)
    webhooks.clock.at += 4 * day
    await attempt(200)
    await attempt(500)
    webhooks.clock.at += 5 * day - 1
    await attempt(500)
    assert.equal((await webhooks.row()).disabled_at, null)
    webhooks.clock.at += 5 * hour
    await attempt(404)
    assert.equal((await webhooks.row()).disabled_reason, 'failing')
    assert.ok((await webhooks.states()).every((state) => !state.endsWith('pending')))
    assert.deepEqual(await webhooks.claim(), [])
    const { items } = await listEvents(webhooks.context, webhooks.account.id, { limit: 1, kind: 'webhook' })
    const { id: webhookId } = webhooks.webhook
    assert.equal(items[0]?.type, 'webhook.disabled')
    assert.deepEqual(items[0]?.data, { webhookId, host: 'localhost:3000', reason: 'failing' })
    await webhooks.record('project.changed', 'prj_1')
    assert.deepEqual(await database.read.selectFrom('webhook_outbox').selectAll().execute(), [])
  })

  test('410 Gone disables the webhook immediately', async () => {
    await using database = await open()
    const webhooks = await startWebhooks(database)
    const [claimed] = await webhooks.claim()
    assert.ok(claimed)
    await webhooks.answer(claimed, 410)
    assert.equal((await webhooks.row()).disabled_reason, 'gone')
  })

  test('nothing more is sent for an account that is being deleted, also by a claim that is under way', async () => {
    await using database = await open()
    const webhooks = await emptied(await startWebhooks(database))
    for (const resource of ['prj_1', 'prj_1', 'prj_2'] as const)
      await webhooks.record('deployment.ready', resource)
    const [claimed] = await webhooks.claim({ perWebhook: 1 })
    assert.ok(claimed)
    await database.write((tx) => stopAllWebhooks(tx, webhooks.account.id, webhooks.clock.at))
    assert.equal(await webhooks.answer(claimed, 200, { goOn: true }), null)
    webhooks.clock.at += hour
    assert.deepEqual(await webhooks.claim(), [])
  })

  test('keep 30,000 events for an endpoint that accepts them slowly, and no more', async () => {
    await using database = await open()
    const webhooks = await emptied(await startWebhooks(database))
    await webhooks.record('deployment.ready', 'prj_1')
    await webhooks.claim()
    const row = await database.read
      .selectFrom('webhook_deliveries')
      .selectAll()
      .where('state', '=', 'pending')
      .executeTakeFirstOrThrow()
    const others = sql.raw(
      Object.keys(row)
        .filter((column) => column !== 'id')
        .join(),
    )
    await database.write(async (tx) => {
      for (let doubling = 0; doubling < 15; doubling++) {
        await sql`insert into webhook_deliveries (id, ${others})
          select id || ${sql.lit(doubling.toString(36))}, ${others} from webhook_deliveries
          where state = 'pending' limit ${30_000 - 2 ** doubling}`.execute(tx)
      }
    })
    const count = async (state: string) =>
      (await webhooks.states()).filter((one) => one === `deployment.activated ${state}`).length
    await webhooks.record('deployment.activated', 'prj_2')
    await webhooks.claim()
    assert.deepEqual([await count('pending'), await count('failed')], [0, 1])
    await database.write((tx) => tx.deleteFrom('webhook_deliveries').where('seq', '=', row.seq).execute())
    await webhooks.record('deployment.activated', 'prj_2')
    await webhooks.claim()
    assert.equal(await count('pending'), 1)
  })

  test('the log keeps a number of deliveries and a number of days, and whatever is pending', async () => {
    await using database = await open()
    const webhooks = await emptied(await startWebhooks(database))
    for (let index = 0; index < 6; index++) {
      await webhooks.record('project.changed', 'prj_1')
      for (const claimed of await webhooks.claim()) await webhooks.answer(claimed, 200)
    }
    await webhooks.record('deployment.ready', 'prj_1')
    await webhooks.claim()
    await database.write((tx) => deleteBeyond(tx, webhooks.webhook.id, 3))
    assert.deepEqual(await webhooks.states(), [
      'project.changed delivered',
      'project.changed delivered',
      'deployment.ready pending',
    ])
    webhooks.clock.at += webhookLimits.daysKept * day
    await database.write((tx) => deleteFinishedBefore(tx, webhooks.clock.at, 100))
    assert.deepEqual(await webhooks.states(), ['deployment.ready pending'])
  })
})
