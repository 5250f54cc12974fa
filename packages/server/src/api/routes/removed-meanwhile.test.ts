import assert from 'node:assert/strict'
import type { Page } from '@masthead/contract/schemas/fields.ts'
import type { CreatedKey, Key } from '@masthead/contract/schemas/key.ts'
import type { CreatedWebhook, Webhook } from '@masthead/contract/schemas/webhook.ts'
import { beforeNextWrite, overlap } from '../../database/interleave.test-kit.ts'
import { type ApiUnderTest, onEachApi } from '../api.test-kit.ts'

const scopes = ['read', 'deploy', 'domains', 'admin']
const url = 'https://bob.example/hook'

/** What ends with the membership of the person who created it. */
const creations: Record<string, { route: string; json: object }> = {
  'a key': { route: 'POST /v1/keys', json: { name: 'mine', scopes } },
  'an invitation': { route: 'POST /v1/invitations', json: { email: 'eve@example.com', role: 'owner' } },
  'a webhook': { route: 'POST /v1/webhooks', json: { url } },
  'a pipeline': {
    route: 'POST /v1/trusted-publishers',
    json: {
      issuer: 'https://token.actions.githubusercontent.com',
      claims: { repository: 'bob/fork', repository_owner_id: '1' },
      project: 'website',
    },
  },
}

async function startAccount(api: ApiUnderTest) {
  const { id } = await api.newAccount('Acme', 'business')
  const alice = await api.newPerson(id, 'owner')
  const bob = await api.newPerson(id, 'owner')
  await api.send('POST /v1/projects', alice.caller, { json: { slug: 'website' } })
  const created = await api.send<CreatedKey>('POST /v1/keys', bob.caller, { json: { name: 'CI', scopes } })
  const lists = ['keys', 'invitations', 'webhooks', 'trusted-publishers']
  return {
    id,
    alice,
    bob,
    key: api.byKey(created.body.secret),
    remove: (query = '') => api.send(`DELETE /v1/members/${bob.id}${query}`, alice.caller),
    demote: () => api.send(`PATCH /v1/members/${bob.id}`, alice.caller, { json: { role: 'developer' } }),
    async left() {
      const pages = await Promise.all(
        lists.map((list) => api.send<Page<object>>(`GET /v1/${list}`, alice.caller)),
      )
      return pages.flatMap(({ body }) => body.items)
    },
  }
}

onEachApi('a member who is removed during a request', (test) => {
  for (const [name, { route, json }] of Object.entries(creations)) {
    test(`does not keep ${name} that it creates`, async (api) => {
      const { bob, remove, left } = await startAccount(api)
      beforeNextWrite(api.context.database, remove)
      const refused = await api.send(route, bob.caller, { json })
      assert.deepEqual([refused.status, refused.body.code], [403, 'wrong_account'])
      assert.deepEqual(await left(), [])
    })

    test(`does not keep ${name} that it creates while the removal is not committed`, async (api) => {
      const { bob, remove, left } = await startAccount(api)
      const create = () => api.send(route, bob.caller, { json })
      const [removed, refused] = await overlap(api.context.database, remove, create)
      assert.deepEqual([removed.status, refused.status], [200, 403], refused.text)
      assert.deepEqual(await left(), [])
    })

    test(`does not keep ${name} that a key of theirs creates`, async (api) => {
      const { key, remove, left } = await startAccount(api)
      beforeNextWrite(api.context.database, remove)
      assert.equal((await api.send(route, key, { json })).status, 401)
      assert.deepEqual(await left(), [])
    })

    test(`loses ${name} that is committed before the removal`, async (api) => {
      const { bob, remove, left } = await startAccount(api)
      const create = () => api.send(route, bob.caller, { json })
      const [created, removed] = await overlap(api.context.database, create, remove)
      assert.deepEqual([created.status, removed.status], [201, 200], created.text)
      assert.deepEqual(await left(), [])
    })

    test(`does not get ${name} with a lesser role`, async (api) => {
      const { bob, demote, left } = await startAccount(api)
      beforeNextWrite(api.context.database, demote)
      const refused = await api.send(route, bob.caller, { json })
      assert.deepEqual([refused.status, refused.body.code], [403, 'forbidden'])
      assert.deepEqual(await left(), [])
    })
  }

  test('does not have the events of a webhook sent elsewhere', async (api) => {
    const { alice, bob, remove } = await startAccount(api)
    const { body } = await api.send<CreatedWebhook>('POST /v1/webhooks', alice.caller, {
      json: { url: 'https://alice.example/hook' },
    })
    beforeNextWrite(api.context.database, remove)
    const change = { json: { url } }
    assert.equal((await api.send(`PATCH /v1/webhooks/${body.id}`, bob.caller, change)).status, 403)
    const { body: after } = await api.send<Webhook>(`GET /v1/webhooks/${body.id}`, alice.caller)
    assert.deepEqual([after.url, after.responsible], ['https://alice.example/hook', alice.id])
  })

  test('gets no key for a login that they approved before', async (api) => {
    const { bob, remove, left } = await startAccount(api)
    const json = { client: 'laptop' }
    const { body } = await api.send<{ code: string; secret: string }>('POST /v1/logins', {}, { json })
    const approved = await api.send(`POST /v1/logins/${body.code}/approve`, bob.caller)
    assert.equal(approved.status, 204, approved.text)
    const claim = () =>
      api.send<{ state: string }>('POST /v1/logins/claim', {}, { json: { secret: body.secret } })
    const [, claimed] = await overlap(api.context.database, remove, claim)
    assert.equal(claimed.body.state, 'denied')
    assert.deepEqual(await left(), [])
  })
})

onEachApi('a key whose responsible person is removed during its request', (test) => {
  test('creates for the remover if it is kept', async (api) => {
    const { alice, key, remove } = await startAccount(api)
    beforeNextWrite(api.context.database, () => remove('?keys=keep'))
    const created = await api.send<Webhook>('POST /v1/webhooks', key, { json: { url } })
    assert.deepEqual([created.status, created.body.responsible], [201, alice.id])
  })
})

onEachApi('an owner who is removed during the removal of somebody else', (test) => {
  test('is not responsible for what that member leaves', async (api) => {
    const { id, alice, bob, remove } = await startAccount(api)
    const carol = await api.newPerson(id, 'owner')
    beforeNextWrite(api.context.database, () => api.send(`DELETE /v1/members/${alice.id}`, carol.caller))
    assert.equal((await remove('?keys=keep')).status, 403)
    const { body } = await api.send<Page<Key>>('GET /v1/keys', carol.caller)
    assert.deepEqual(
      body.items.map(({ responsible }) => responsible),
      [bob.id],
    )
  })
})

onEachApi('a key without a person', (test) => {
  for (const [name, { route, json }] of Object.entries(creations)) {
    test(`creates ${name}`, async (api) => {
      const { id } = await startAccount(api)
      const { caller } = await api.newKey(id, ['read', 'deploy', 'domains', 'admin'])
      const created = await api.send(route, caller, { json })
      assert.equal(created.status, 201, created.text)
    })
  }
})
