import assert from 'node:assert/strict'
import type { Account, AccountEvent } from '@masthead/contract/schemas/account.ts'
import type { Page } from '@masthead/contract/schemas/fields.ts'
import type { Project } from '@masthead/contract/schemas/project.ts'
import { onEachApi } from '../api.test-kit.ts'

onEachApi('an account', (test) => {
  test('can be renamed, and the activity shows by whom', async (api) => {
    const { id } = await api.newAccount()
    const owner = await api.newPerson(id, 'owner')
    const renamed = await api.send<Account>('PATCH /v1/account', owner.caller, { json: { name: ' New ' } })
    assert.equal(renamed.body.name, 'New')
    assert.deepEqual((await api.send('GET /v1/account', owner.caller)).body, renamed.body)
    const { items } = (await api.send<Page<AccountEvent>>('GET /v1/events', owner.caller)).body
    assert.deepEqual(
      items.map(({ type }) => type),
      ['account.renamed', 'account.created'],
    )
    assert.deepEqual(items[0]?.actor, { kind: 'person', id: owner.id, name: owner.email })
    assert.deepEqual(items[0]?.data, { name: 'New' })
  })

  test('shows the activity of one kind and of one project, even a deleted one', async (api) => {
    const { id } = await api.newAccount()
    const { caller } = await api.newPerson(id, 'owner')
    const made = await api.send<Project>('POST /v1/projects', caller, { json: { slug: 'site' } })
    await api.send('POST /v1/projects', caller, { json: { slug: 'other' } })
    await api.send('POST /v1/projects', caller, { json: { slug: 'acc' } })
    const read = async (query: string) => {
      const { status, body } = await api.send<Page<AccountEvent>>(`GET /v1/events?${query}`, caller)
      assert.equal(status, 200)
      return body.items.map(({ type }) => type)
    }
    assert.deepEqual(await read('kind=account'), ['account.created'])
    assert.equal((await read('kind=project')).length, 3)
    assert.deepEqual(await read('project=site'), ['project.created'])
    await api.send('DELETE /v1/projects/site', caller)
    assert.deepEqual(await read(`project=${made.body.id}&kind=project`), [
      'project.deleted',
      'project.created',
    ])
    assert.deepEqual(await read(`project=${made.body.id}&kind=key`), [])
    const gone = await api.send('GET /v1/events?project=site', caller)
    assert.deepEqual([gone.status, gone.body.code], [404, 'not_found'])
    for (const query of ['kind=moon', 'kind=', 'kind=project.created', 'project=', 'kind=key&kind=project']) {
      const refused = await api.send(`GET /v1/events?${query}`, caller)
      assert.deepEqual([refused.status, refused.body.code], [422, 'invalid_input'], query)
    }
    const stranger = await api.newPerson((await api.newAccount()).id, 'owner')
    const elsewhere = await api.send<Page<AccountEvent>>(
      `GET /v1/events?project=${made.body.id}`,
      stranger.caller,
    )
    assert.deepEqual(elsewhere.body.items, [])
  })

  test('gets the limits of a new plan when its owner changes it', async (api) => {
    const { id } = await api.newAccount()
    const { caller } = await api.newPerson(id, 'owner')
    const changed = await api.send<Account>('PUT /v1/account/plan', caller, { json: { plan: 'business' } })
    assert.equal(changed.status, 200)
    assert.equal(changed.body.plan, 'business')
    assert.deepEqual(changed.body.limits, {
      perMinute: 1_000,
      perDay: 100_000,
      domainsPerProject: 100,
      storageBytes: 250e9,
    })
  })

  test('keeps its custom limits when its owner requests Enterprise again', async (api) => {
    const { id } = await api.newAccount()
    const { caller } = await api.newPerson(id, 'owner')
    const limits = { perMinute: 7, perDay: 70, domainsPerProject: 3, storageBytes: 5e9 }
    const json = { plan: 'enterprise', limits }
    await api.send(`PUT /v1/operator/accounts/${id}/plan`, api.operator, { json })
    const same = await api.send<Account>('PUT /v1/account/plan', caller, { json: { plan: 'enterprise' } })
    assert.deepEqual(same.body.limits, limits)
  })

  test('cannot be moved to Enterprise by its owner', async (api) => {
    const { id } = await api.newAccount('Team', 'pro')
    const { caller } = await api.newPerson(id, 'owner')
    const choose = (plan: string) => api.send('PUT /v1/account/plan', caller, { json: { plan } })
    const refused = await choose('enterprise')
    assert.deepEqual([refused.status, refused.body.code], [403, 'plan_agreed'])
    assert.equal((await api.send<Account>('GET /v1/account', caller)).body.plan, 'pro')

    const json = { plan: 'enterprise', limits: { perMinute: 7, perDay: 70 } }
    await api.send(`PUT /v1/operator/accounts/${id}/plan`, api.operator, { json })
    assert.equal((await choose('enterprise')).status, 200)
    assert.equal((await choose('business')).status, 200)
    assert.equal((await choose('enterprise')).status, 403)
  })

  test('can be moved to Enterprise by an operator, even their own account', async (api) => {
    const { id } = await api.newAccount()
    const { caller } = await api.newPerson(id, 'owner', { operator: true })
    const refused = await api.send('PUT /v1/account/plan', caller, { json: { plan: 'enterprise' } })
    assert.equal(refused.body.code, 'plan_agreed')
    const json = { plan: 'enterprise', limits: { perMinute: 7, perDay: 70 } }
    const set = await api.send<Account>(`PUT /v1/operator/accounts/${id}/plan`, caller, { json })
    assert.equal(set.body.plan, 'enterprise')
  })

  test(
    'leaves plans to the operator with external billing',
    async (api) => {
      const { id } = await api.newAccount()
      const { caller } = await api.newPerson(id, 'owner')
      const refused = await api.send('PUT /v1/account/plan', caller, { json: { plan: 'pro' } })
      assert.equal(refused.status, 403)
      assert.equal(refused.body.code, 'billing_external')
      const json = { plan: 'pro' }
      const set = await api.send(`PUT /v1/operator/accounts/${id}/plan`, api.operator, { json })
      assert.equal(set.status, 200)
    },
    { billing: 'external' },
  )

  test('does not see what belongs to another account', async (api) => {
    const [own, other] = [await api.newAccount(), await api.newAccount()]
    const stranger = await api.newPerson(own.id, 'owner')
    const owner = await api.newPerson(other.id, 'owner')
    const key = await api.newKey(other.id, ['read'])
    await api.send('POST /v1/projects', owner.caller, { json: { slug: 'site' } })
    const project = await api.send<{ id: string }>('GET /v1/projects/site', owner.caller)
    const invited = await api.send<{ id: string }>('POST /v1/invitations', owner.caller, {
      json: { email: 'new@example.com', role: 'viewer' },
    })
    const routes = [
      'GET /v1/projects/site',
      `GET /v1/projects/${project.body.id}`,
      'DELETE /v1/projects/site',
      'GET /v1/projects/site/deployments',
      'POST /v1/projects/site/deployments',
      `DELETE /v1/keys/${key.id}`,
      `DELETE /v1/members/${owner.id}`,
      `DELETE /v1/invitations/${invited.body.id}`,
    ]
    for (const route of routes) {
      const input = route.startsWith('POST') ? { json: { files: {} } } : {}
      const refused = await api.send(route, stranger.caller, input)
      assert.equal(refused.status, 404, route)
      assert.equal(refused.body.code, 'not_found')
    }
    for (const list of ['projects', 'keys', 'invitations']) {
      const { body } = await api.send<Page<object>>(`GET /v1/${list}`, stranger.caller)
      assert.deepEqual(body.items, [], list)
    }
    assert.equal((await api.send('GET /v1/account', key.caller)).status, 200)
    assert.equal((await api.send('GET /v1/projects/site', owner.caller)).status, 200)
  })
})
