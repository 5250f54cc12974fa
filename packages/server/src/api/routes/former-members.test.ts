import assert from 'node:assert/strict'
import { after, before } from 'node:test'
import type { AccountEvent } from '@masthead/contract/schemas/account.ts'
import type { Id, Page } from '@masthead/contract/schemas/fields.ts'
import type { CreatedKey, ExchangedKey, TrustedPublisher } from '@masthead/contract/schemas/key.ts'
import type { EndedMembership } from '@masthead/contract/schemas/people.ts'
import type { CreatedWebhook, Webhook } from '@masthead/contract/schemas/webhook.ts'
import { startOidcIssuer } from '@masthead/testing/peers/oidc/issuer.ts'
import { until } from '@masthead/testing/until.ts'
import { startWebhookWorker } from '../../webhooks/delivery/worker.ts'
import { rules, startReceiver } from '../../webhooks/webhooks.test-kit.ts'
import { type ApiUnderTest, type Caller, nobody, onEachApi } from '../api.test-kit.ts'

const audience = 'http://localhost:8080'
const claims = { repository: 'bob/fork' }
const url = 'https://bob.example/hook'

let peer: Awaited<ReturnType<typeof startOidcIssuer>>
before(async () => {
  peer = await startOidcIssuer()
})
after(() => peer[Symbol.asyncDispose]())

const addWebhook = async (api: ApiUnderTest, as: Caller, json: object = { url }) => {
  const created = await api.send<CreatedWebhook>('POST /v1/webhooks', as, { json })
  assert.equal(created.status, 201, created.text)
  return created.body
}

const exchange = async (api: ApiUnderTest) => {
  const token = await peer.newToken({ audience, claims })
  return api.send<ExchangedKey>('POST /v1/token', nobody, { json: { token, project: 'website' } })
}

const events = async (api: ApiUnderTest, as: Caller) =>
  (await api.send<Page<AccountEvent>>('GET /v1/events?limit=100', as)).body.items

async function left(api: ApiUnderTest, as: Caller) {
  const publishers = await api.send<Page<TrustedPublisher>>('GET /v1/trusted-publishers', as)
  const webhooks = await api.send<Page<Webhook>>('GET /v1/webhooks', as)
  return [...publishers.body.items, ...webhooks.body.items].map(({ id, responsible }) => ({
    id,
    responsible,
  }))
}

/** Alice and Bob own an account. Bob, or a key that he created, has trusted a pipeline and added a webhook. */
async function setTheScene(api: ApiUnderTest, { byKey = false } = {}) {
  // The issuer's clock is the real one.
  api.clock.at = Date.now()
  const { id } = await api.newAccount('Acme', 'business')
  const alice = await api.newPerson(id, 'owner')
  const bob = await api.newPerson(id, 'owner')
  await api.send('POST /v1/projects', alice.caller, { json: { slug: 'website' } })
  const scopes = ['read', 'deploy', 'admin']
  const key = byKey
    ? await api.send<CreatedKey>('POST /v1/keys', bob.caller, { json: { name: 'Bob', scopes } })
    : null
  const as = key === null ? bob.caller : api.byKey(key.body.secret)
  const json = { issuer: peer.issuer, claims, project: 'website' }
  const added = await api.send<TrustedPublisher>('POST /v1/trusted-publishers', as, { json })
  assert.equal(added.status, 201, added.text)
  const { body: pipeline } = await exchange(api)
  const readAs = async () => (await api.send('GET /v1/projects/website', api.byKey(pipeline.secret))).status
  assert.equal(await readAs(), 200)
  const webhook = await addWebhook(api, as)
  assert.deepEqual([added.body.responsible, webhook.responsible], [bob.id, bob.id])
  return { id, alice, bob, publisher: added.body, webhook, pipelineReads: readAs }
}

const remove = (api: ApiUnderTest, as: Caller, id: Id<'person'>, query = '') =>
  api.send<EndedMembership>(`DELETE /v1/members/${id}${query}`, as)

const change = (api: ApiUnderTest, as: Caller, id: Id<'person'>, json: object) =>
  api.send<EndedMembership>(`PATCH /v1/members/${id}`, as, { json })

onEachApi('members who are removed', (test) => {
  for (const byKey of [false, true]) {
    const how = byKey ? 'through a key' : 'themselves'
    test(`cannot deploy through a pipeline that they trusted ${how}`, async (api) => {
      const { alice, bob, publisher, webhook, pipelineReads } = await setTheScene(api, { byKey })
      const own = await addWebhook(api, alice.caller)
      const { status, body } = await remove(api, alice.caller, bob.id)
      assert.equal(status, 200)
      assert.equal(body.revokedKeys.length, byKey ? 1 : 0)
      assert.deepEqual(
        body.removedPublishers.map(({ id, name }) => [id, name.replace(/^\S+/, '')]),
        [[publisher.id, ' (bob/fork)']],
      )
      assert.deepEqual(body.removedWebhooks, [{ id: webhook.id, host: 'bob.example' }])
      assert.equal(await pipelineReads(), 401)
      assert.equal((await exchange(api)).status, 403)
      assert.deepEqual(await left(api, alice.caller), [{ id: own.id, responsible: alice.id }])
      const ended = (await events(api, alice.caller)).filter(({ type }) =>
        ['publisher.removed', 'webhook.removed'].includes(type),
      )
      assert.deepEqual(
        ended.map(({ type, actor }) => [type, actor.id]),
        [
          ['webhook.removed', alice.id],
          ['publisher.removed', alice.id],
        ],
      )
    })
  }

  test('get no more events at their webhook', async (api) => {
    const { alice, bob } = await setTheScene(api)
    const receive = (types: string[]) =>
      startReceiver(({ type }, _req, res) => {
        types.push(type)
        res.end()
      })
    const [toAlice, toBob]: [string[], string[]] = [[], []]
    await using atAlice = await receive(toAlice)
    await using atBob = await receive(toBob)
    await addWebhook(api, alice.caller, { url: atAlice.url, events: ['project.created', 'member.removed'] })
    await addWebhook(api, bob.caller, { url: atBob.url, events: ['project.created', 'member.removed'] })
    const context = { ...api.context, sealing: api.sealing, rules }
    const worker = startWebhookWorker(context, { isAlone: true, log: { error: () => {} } })
    try {
      await api.send('POST /v1/projects', alice.caller, { json: { slug: 'before' } })
      await until(() => toAlice.length === 1 && toBob.length === 1)
      assert.equal((await remove(api, alice.caller, bob.id)).body.removedWebhooks.length, 2)
      await api.send('POST /v1/projects', alice.caller, { json: { slug: 'after' } })
      await until(() => toAlice.length === 3)
      assert.deepEqual(toBob, ['project.created'])
    } finally {
      await worker.stop()
    }
  })

  test('leave pipelines and webhooks to the remover who keeps them, until that membership ends', async (api) => {
    const { id, alice, bob, publisher, webhook, pipelineReads } = await setTheScene(api)
    const carol = await api.newPerson(id, 'owner')
    const kept = await remove(api, alice.caller, bob.id, '?keys=keep')
    assert.deepEqual(kept.body, { revokedKeys: [], removedPublishers: [], removedWebhooks: [] })
    assert.equal(await pipelineReads(), 200)
    assert.deepEqual(
      await left(api, alice.caller),
      [publisher, webhook].map((one) => ({ id: one.id, responsible: alice.id })),
    )
    await remove(api, carol.caller, alice.id)
    assert.equal(await pipelineReads(), 401)
    assert.deepEqual(await left(api, carol.caller), [])
  })

  test('take along a webhook of others whose address they changed', async (api) => {
    const { alice, bob } = await setTheScene(api)
    const changed = await addWebhook(api, alice.caller)
    const paused = await addWebhook(api, alice.caller)
    const patch = (id: string, as: Caller, json: object) =>
      api.send<Webhook>(`PATCH /v1/webhooks/${id}`, as, { json })
    const redirected = await patch(changed.id, bob.caller, { url: 'https://elsewhere.example/' })
    assert.equal(redirected.body.responsible, bob.id)
    await patch(paused.id, bob.caller, { url: paused.url, enabled: false })
    await remove(api, alice.caller, bob.id)
    assert.deepEqual(await left(api, alice.caller), [{ id: paused.id, responsible: alice.id }])
  })
})

onEachApi('owners who give up their own role', (test) => {
  test('cannot keep what would then depend on nobody, themselves or through their key', async (api) => {
    const { alice, bob, publisher, webhook } = await setTheScene(api)
    const json = { name: 'Bob', scopes: ['read', 'deploy', 'admin'] }
    const key = api.byKey((await api.send<CreatedKey>('POST /v1/keys', bob.caller, { json })).body.secret)
    for (const as of [bob.caller, key]) {
      assert.equal((await remove(api, as, bob.id, '?keys=keep')).status, 403)
      assert.equal((await change(api, as, bob.id, { role: 'viewer', keys: 'keep' })).status, 403)
    }
    assert.deepEqual(
      await left(api, alice.caller),
      [publisher, webhook].map((one) => ({ id: one.id, responsible: bob.id })),
    )
    assert.equal((await remove(api, bob.caller, bob.id)).status, 200)
    assert.equal((await api.send('GET /v1/keys', key)).status, 401)
    assert.deepEqual(await left(api, alice.caller), [])
  })
})

onEachApi('members who leave or get a lesser role', (test) => {
  test('lose their pipelines and webhooks when they leave', async (api) => {
    const { id, alice, bob, pipelineReads } = await setTheScene(api)
    assert.equal((await api.send(`DELETE /v1/person/accounts/${id}`, bob.caller)).status, 204)
    assert.equal(await pipelineReads(), 401)
    assert.deepEqual(await left(api, alice.caller), [])
  })

  test('lose them with a role that could not create them, and not with the same role', async (api) => {
    const { alice, bob, publisher, webhook, pipelineReads } = await setTheScene(api)
    const same = await change(api, alice.caller, bob.id, { role: 'owner' })
    assert.deepEqual([same.body.removedPublishers, same.body.removedWebhooks], [[], []])
    assert.equal(await pipelineReads(), 200)
    const { body } = await change(api, alice.caller, bob.id, { role: 'developer' })
    assert.deepEqual(
      [...body.removedPublishers, ...body.removedWebhooks].map(({ id }) => id),
      [publisher.id, webhook.id],
    )
    assert.equal(await pipelineReads(), 401)
    assert.deepEqual(await left(api, alice.caller), [])
  })

  test('pass them on if they are kept', async (api) => {
    const { alice, bob, pipelineReads } = await setTheScene(api)
    await change(api, alice.caller, bob.id, { role: 'viewer', keys: 'keep' })
    assert.equal(await pipelineReads(), 200)
    assert.deepEqual(
      (await left(api, alice.caller)).map(({ responsible }) => responsible),
      [alice.id, alice.id],
    )
  })
})
