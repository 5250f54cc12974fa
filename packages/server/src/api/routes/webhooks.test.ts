import assert from 'node:assert/strict'
import type { Page } from '@masthead/contract/schemas/fields.ts'
import type { CreatedWebhook, Delivery, Webhook } from '@masthead/contract/schemas/webhook.ts'
import { webhookLimits } from '@masthead/contract/webhooks/webhooks.ts'
import { until } from '@masthead/testing/until.ts'
import { day, hour } from '../../kernel/clock.ts'
import { startWebhookWorker } from '../../webhooks/delivery/worker.ts'
import { rules, startReceiver } from '../../webhooks/webhooks.test-kit.ts'
import { type ApiUnderTest, type Caller, onEachApi } from '../api.test-kit.ts'

const url = 'https://example.com/hooks/very-secret?token=abc'

async function newOwner(api: ApiUnderTest): Promise<Caller> {
  const { id } = await api.newAccount()
  return (await api.newPerson(id, 'owner')).caller
}

const create = (api: ApiUnderTest, as: Caller, json: object = { url }) =>
  api.send<CreatedWebhook & { code?: string; errors?: unknown }>('POST /v1/webhooks', as, { json })

function startWorker(api: ApiUnderTest) {
  const faults: object[] = []
  const context = { ...api.context, sealing: api.sealing, rules }
  const worker = startWebhookWorker(context, {
    isAlone: true,
    log: { error: (details) => faults.push(details) },
  })
  return {
    faults,
    async [Symbol.asyncDispose]() {
      await worker.stop()
    },
  }
}

onEachApi('webhooks', (test) => {
  test('show their secret once, keep it sealed, and their address out of the activity', async (api) => {
    const caller = await newOwner(api)
    const { status, body } = await create(api, caller)
    assert.equal(status, 201)
    assert.match(body.secret, /^whsec_/)
    assert.deepEqual([body.url, body.events, body.format, body.state], [url, null, 'standard', 'active'])
    const list = await api.send<Page<Webhook>>('GET /v1/webhooks', caller)
    const one = await api.send<Webhook>(`GET /v1/webhooks/${body.id}`, caller)
    const { secret, ...shown } = body
    assert.deepEqual(list.body.items, [shown])
    assert.deepEqual(one.body, shown)
    const { read } = api.context.database
    const stored = JSON.stringify([
      await read.selectFrom('webhooks').selectAll().execute(),
      await read.selectFrom('events').selectAll().execute(),
    ])
    assert.ok(!stored.includes(secret.slice('whsec_'.length)))
    assert.ok(!JSON.stringify(await read.selectFrom('events').selectAll().execute()).includes('very-secret'))
  })

  test('are for administrators of their own account', async (api) => {
    const { id } = await api.newAccount()
    const { caller } = await api.newPerson(id, 'developer')
    assert.equal((await create(api, caller)).status, 403)
    assert.equal((await api.send('GET /v1/webhooks', caller)).status, 403)
    const { body } = await create(api, await newOwner(api))
    const other = await newOwner(api)
    const routes = [
      `GET /v1/webhooks/${body.id}`,
      `PATCH /v1/webhooks/${body.id}`,
      `DELETE /v1/webhooks/${body.id}`,
      `POST /v1/webhooks/${body.id}/rotate`,
      `POST /v1/webhooks/${body.id}/test`,
      `GET /v1/webhooks/${body.id}/deliveries`,
    ]
    for (const route of routes) {
      const json = route.startsWith('P') ? { json: {} } : {}
      assert.equal((await api.send(route, other, json)).status, 404, route)
    }
  })

  test('get their address only from those who can read and stay', async (api) => {
    const { id } = await api.newAccount()
    const owner = (await api.newPerson(id, 'owner')).caller
    const { body: webhook } = await create(api, owner)
    const newKey = async (scopes: string[], expiresAt: string | null) => {
      const json = { name: 'A key', scopes, expiresAt }
      return api.byKey((await api.send<{ secret: string }>('POST /v1/keys', owner, { json })).body.secret)
    }
    const brief = await newKey(['read', 'admin'], new Date(api.clock.at + hour).toISOString())
    const blind = await newKey(['admin'], null)
    const lasting = await newKey(['read', 'admin'], null)
    const move = (as: Caller) =>
      api.send(`PATCH /v1/webhooks/${webhook.id}`, as, { json: { url: 'https://elsewhere.example/' } })
    for (const [caller, reason] of [
      [brief, 'This key expires, so it cannot have events sent for longer.'],
      [blind, /lacks the scope read/],
    ] as const) {
      for (const { status, body } of [
        await api.send('POST /v1/webhooks', caller, { json: { url } }),
        await move(caller),
      ]) {
        assert.equal(status, 403)
        if (typeof reason === 'string') assert.equal(body.detail, reason)
        else assert.match(body.detail, reason)
      }
      const paused = { json: { enabled: false } }
      assert.equal((await api.send(`PATCH /v1/webhooks/${webhook.id}`, caller, paused)).status, 200)
    }
    assert.equal((await api.send(`GET /v1/webhooks/${webhook.id}/deliveries`, blind)).status, 403)
    assert.equal((await api.send(`GET /v1/webhooks/${webhook.id}/deliveries`, brief)).status, 200)
    assert.equal((await api.send<Page<Webhook>>('GET /v1/webhooks', owner)).body.items.length, 1)
    assert.equal((await create(api, lasting)).status, 201)
    assert.equal((await move(lasting)).status, 200)
  })

  test('are refused for private addresses, unknown events and beyond the limit', async (api) => {
    const caller = await newOwner(api)
    const bad = [
      { url: 'https://10.0.0.1/' },
      { url: 'https://user@example.com/' },
      { url: 'nonsense' },
      { url, events: ['no.such_event'] },
      { url, events: [] },
      { url, format: 'xml' },
      { url, secret: 'whsec_mine' },
    ]
    for (const json of bad) assert.equal((await create(api, caller, json)).status, 422, JSON.stringify(json))
    const made = await Promise.all(
      Array.from({ length: webhookLimits.perAccount + 2 }, () => create(api, caller)),
    )
    const refused = made.filter(({ status }) => status !== 201)
    assert.deepEqual(
      refused.map(({ body }) => body.code),
      ['webhook_limit_reached', 'webhook_limit_reached'],
    )
  })

  test('can be changed, paused, enabled and removed', async (api) => {
    const caller = await newOwner(api)
    const { id } = (await create(api, caller)).body
    const change = (json: object) => api.send<Webhook>(`PATCH /v1/webhooks/${id}`, caller, { json })
    const changed = await change({ url: 'https://example.org/', events: ['domain.live'], format: 'slack' })
    assert.deepEqual(
      [changed.body.url, changed.body.events, changed.body.format],
      ['https://example.org/', ['domain.live'], 'slack'],
    )
    assert.equal((await change({ url: 'https://192.168.0.1/' })).status, 422)
    assert.equal((await change({ enabled: false })).body.disabledReason, 'paused')
    const test = await api.send(`POST /v1/webhooks/${id}/test`, caller)
    assert.equal(test.body.code, 'webhook_disabled')
    assert.deepEqual((await change({ enabled: true, events: null })).body, { ...changed.body, events: null })
    assert.equal((await api.send(`DELETE /v1/webhooks/${id}`, caller)).status, 204)
    assert.equal((await api.send(`GET /v1/webhooks/${id}`, caller)).status, 404)
  })

  test('send events and tests with valid signatures, log them, and send them again', async (api) => {
    api.clock.at = Date.now()
    const received: { id: string; type: string }[] = []
    await using receiver = await startReceiver(({ id, type }, _req, res) => {
      received.push({ id, type })
      res.writeHead(202).end('queued')
    })
    const caller = await newOwner(api)
    const { body: webhook } = await create(api, caller, { url: receiver.url })
    receiver.expect(webhook)
    await using worker = startWorker(api)
    const { body: sent } = await api.send<Delivery>(`POST /v1/webhooks/${webhook.id}/test`, caller)
    assert.deepEqual([sent.state, sent.type, sent.eventId], ['pending', 'webhook.test', null])
    const deliveries = async () =>
      (await api.send<Page<Delivery>>(`GET /v1/webhooks/${webhook.id}/deliveries`, caller)).body.items
    const isDone = (items: Delivery[]) =>
      items.length === 2 && items.every(({ state }) => state === 'delivered')
    await until(async () => isDone(await deliveries()))
    const made = await deliveries()
    const [test, created] = ['webhook.test', 'webhook.created'].map((type) =>
      made.find((one) => one.type === type),
    )
    assert.ok(test && created)
    assert.deepEqual([test.request.id, test.attempts[0]?.status], [sent.id, 202])
    assert.equal(test.attempts[0]?.answer, 'queued')
    assert.equal(JSON.parse(created.request.body).type, 'webhook.created')
    await api.send(`POST /v1/webhooks/${webhook.id}/deliveries/${created.id}/resend`, caller)
    await until(() => received.length === 3)
    assert.equal(received.filter(({ id }) => id === created.eventId).length, 2)
    assert.deepEqual([receiver.faults, worker.faults], [[], []])
  })

  test('sign with both secrets for a day after a rotation, and with the new one alone afterwards', async (api) => {
    api.clock.at = Date.now() - day
    const signatures: number[] = []
    await using receiver = await startReceiver((_message, req, res) => {
      signatures.push(String(req.headers['webhook-signature']).split(' ').length)
      res.end()
    })
    const caller = await newOwner(api)
    const { body: webhook } = await create(api, caller, { url: receiver.url, events: ['account.renamed'] })
    const rotate = await api.send<CreatedWebhook>(`POST /v1/webhooks/${webhook.id}/rotate`, caller)
    assert.notEqual(rotate.body.secret, webhook.secret)
    assert.equal(Date.parse(rotate.body.previousSecretUntil ?? ''), api.clock.at + 24 * hour)
    await using _worker = startWorker(api)
    await api.send(`POST /v1/webhooks/${webhook.id}/test`, caller)
    await until(() => signatures.length === 1)
    api.clock.at += 24 * hour
    receiver.expect(rotate.body)
    await api.send(`POST /v1/webhooks/${webhook.id}/test`, caller)
    await until(() => signatures.length === 2)
    assert.deepEqual(signatures, [2, 1])
    assert.deepEqual(receiver.faults, [])
  })

  test('sign with every secret of the last day, however often it is rotated', async (api) => {
    api.clock.at = Date.now() - 12 * hour
    const signatures: number[] = []
    const count: Parameters<typeof startReceiver>[0] = (_message, req, res) => {
      signatures.push(String(req.headers['webhook-signature']).split(' ').length)
      res.end()
    }
    await using receiver = await startReceiver(count)
    const caller = await newOwner(api)
    const { body: webhook } = await create(api, caller, { url: receiver.url, events: ['account.renamed'] })
    const rotate = () => api.send<CreatedWebhook>(`POST /v1/webhooks/${webhook.id}/rotate`, caller)
    const first = await rotate()
    api.clock.at += 12 * hour
    const second = await rotate()
    await using _worker = startWorker(api)
    let sent = 0
    const sendTest = async () => {
      await api.send(`POST /v1/webhooks/${webhook.id}/test`, caller)
      await until(() => signatures.length === sent + 1 || receiver.faults.length > 0)
      sent++
    }
    for (const known of [webhook, first.body, second.body]) {
      receiver.expect(known)
      await sendTest()
    }
    assert.deepEqual([signatures, receiver.faults], [[3, 3, 3], []])

    // It checks no signature, because the time of the others is not that of this machine.
    await using counter = await startReceiver(count)
    await api.send(`PATCH /v1/webhooks/${webhook.id}`, caller, { json: { url: counter.url } })
    for (const _ of [1, 2]) {
      api.clock.at += 12 * hour
      await sendTest()
    }
    assert.deepEqual(signatures.slice(3), [2, 1])
    for (let more = 0; more < 7; more++) await rotate()
    await sendTest()
    assert.equal(signatures.at(-1), 6, 'the current one and five before it')
  })
})
