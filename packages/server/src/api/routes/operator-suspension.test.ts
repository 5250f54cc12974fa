import assert from 'node:assert/strict'
import type { Page } from '@masthead/contract/schemas/fields.ts'
import type { CreatedKey } from '@masthead/contract/schemas/key.ts'
import type { OperatorPerson, OperatorSite } from '@masthead/contract/schemas/operator.ts'
import type { Session } from '@masthead/contract/schemas/people.ts'
import type { ProblemDocument } from '@masthead/contract/schemas/problem-document.ts'
import type { Project } from '@masthead/contract/schemas/project.ts'
import { findSite } from '../../domains/read.ts'
import { type ApiUnderTest, nobody, onEachApi } from '../api.test-kit.ts'
import { publish } from './publish.test-kit.ts'

type Suspended = ProblemDocument & { suspension?: { reason: string } }
const reason = 'Three invoices are unpaid.'

async function published(api: ApiUnderTest) {
  const { id } = await api.newAccount()
  const owner = await api.newPerson(id, 'owner')
  const key = await api.newKey(id, ['read', 'deploy'])
  await api.send('POST /v1/projects', key.caller, { json: { slug: 'shop' } })
  const site = () => findSite(api.context, { kind: 'project', slug: 'shop' }, 'masthead.localhost')
  return { id, owner, key, site }
}

onEachApi('a suspended account', (test) => {
  test('is refused with its reason, with keys and sessions, until it is restored', async (api) => {
    const { id, owner, key, site } = await published(api)
    const heard: unknown[] = []
    api.context.changes.subscribe((change) => change?.kind !== 'account' && heard.push(change))
    const route = `/v1/operator/accounts/${id}/suspension`
    const suspended = await api.send<{ suspension: object }>(`PUT ${route}`, api.operator, {
      json: { reason },
    })
    assert.equal(suspended.status, 200)
    assert.deepEqual(heard[0], { kind: 'project_stopped', subject: 'shop' })
    for (const [as, what] of [
      [key.caller, 'GET /v1/projects'],
      [key.caller, 'DELETE /v1/projects/shop'],
      [owner.caller, 'GET /v1/projects'],
      [owner.caller, 'GET /v1/stream'],
    ] as const) {
      const refused = await api.send<Suspended>(what, as)
      assert.deepEqual([refused.status, refused.body.code], [403, 'account_suspended'])
      assert.equal(refused.body.suspension?.reason, reason)
      assert.ok(refused.body.detail?.includes(reason))
    }
    const session = await api.send<Session>('GET /v1/session', owner.caller)
    assert.equal(session.body.account?.suspension?.reason, reason)
    assert.equal((await api.send('GET /v1/person', owner.caller)).status, 200)
    assert.deepEqual((await site())?.blocked, { status: 503, reason: null })

    assert.equal((await api.send(`DELETE ${route}`, api.operator)).status, 200)
    assert.equal((await api.send('GET /v1/projects', key.caller)).status, 200)
    assert.equal((await site())?.blocked, undefined)
    const events = await api.send<Page<{ type: string }>>('GET /v1/events', owner.caller)
    const types = events.body.items.map(({ type }) => type)
    assert.ok(types.includes('account.suspended') && types.includes('account.restored'))
  })

  test('can only be suspended by the operator, with a reason', async (api) => {
    const { id, owner, key } = await published(api)
    const route = `PUT /v1/operator/accounts/${id}/suspension`
    for (const as of [owner.caller, key.caller]) {
      assert.equal((await api.send(route, as, { json: { reason } })).status, 403)
    }
    assert.equal((await api.send(route, nobody, { json: { reason } })).status, 401)
    for (const json of [{}, { reason: '' }, { reason: 'x'.repeat(501) }, { reason: 'a\u0000b' }]) {
      assert.equal((await api.send(route, api.operator, { json })).status, 422)
    }
    const absent = 'PUT /v1/operator/accounts/acc_06d8f2k4m9q1s7x3b5n0/suspension'
    assert.equal((await api.send(absent, api.operator, { json: { reason } })).status, 404)
  })
})

onEachApi('a site that was taken down', (test) => {
  const route = '/v1/operator/projects/shop/takedown'

  test('shows members the reason, and is served again once restored', async (api) => {
    const { key, owner, site } = await published(api)
    const heard: unknown[] = []
    api.context.changes.subscribe((change) => change?.kind !== 'account' && heard.push(change))
    const json = { reason: 'A court order of 3 May.' }
    const down = await api.send<OperatorSite>(`PUT ${route}`, api.operator, { json })
    assert.deepEqual([down.status, down.body.takedown?.status], [200, 451])
    assert.deepEqual(heard[0], { kind: 'project_stopped', subject: 'shop' })
    assert.deepEqual((await site())?.blocked, { status: 451, reason: json.reason })
    const { body } = await api.send<Project>('GET /v1/projects/shop', key.caller)
    assert.equal(body.takedown?.reason, json.reason)
    const again = await api.send<OperatorSite>(`PUT ${route}`, api.operator, {
      json: { reason: 'Phishing.', status: 403 },
    })
    assert.deepEqual(again.body.takedown, {
      since: down.body.takedown?.since,
      reason: 'Phishing.',
      status: 403,
    })
    assert.equal((await api.send(`DELETE ${route}`, api.operator)).status, 200)
    assert.equal((await site())?.blocked, undefined)
    assert.equal((await api.send<Project>('GET /v1/projects/shop', owner.caller)).body.takedown, null)
    const events = await api.send<Page<{ type: string }>>('GET /v1/events?project=shop', owner.caller)
    const types = events.body.items.map(({ type }) => type)
    assert.deepEqual(types.slice(0, 3), ['project.restored', 'project.taken_down', 'project.taken_down'])
  })

  test('can only be taken down by the operator, who finds it by any of its URLs', async (api) => {
    const { key, owner } = await published(api)
    const json = { reason: 'Because.' }
    for (const as of [owner.caller, key.caller]) {
      assert.equal((await api.send(`PUT ${route}`, as, { json })).status, 403)
      assert.equal((await api.send('GET /v1/operator/projects', as)).status, 403)
    }
    assert.equal(
      (await api.send(`PUT ${route}`, api.operator, { json: { ...json, status: 404 } })).status,
      422,
    )
    const find = async (search: string) => {
      const path = `GET /v1/operator/projects?search=${encodeURIComponent(search)}`
      const { body } = await api.send<Page<OperatorSite>>(path, api.operator)
      return body.items.map(({ slug }) => slug)
    }
    for (const search of [
      'shop',
      'SHO',
      'shop.masthead.localhost',
      'https://shop.masthead.localhost:8443/a?b',
      'http://06d8f2k4m9q1s7x3b5n0--shop.masthead.localhost/',
    ]) {
      assert.deepEqual(await find(search), ['shop'], search)
    }
    assert.deepEqual(await find('%'), [])
    assert.deepEqual(await find('https://www.acme.com/'), [])

    const { id } = await api.newAccount('tenants', 'business')
    const { caller } = await api.newKey(id, ['read', 'deploy', 'domains'])
    await publish(api, caller, 'tenants')
    await api.send('POST /v1/projects/tenants/domains', caller, { json: { hostname: '*.acme.com' } })
    assert.deepEqual(await find('https://www.acme.com/'), ['tenants'])
    assert.deepEqual(await find('https://a.www.acme.com/'), [])
    const { body } = await api.send<Page<OperatorSite>>('GET /v1/operator/projects', api.operator)
    const sites = body.items.map(({ slug, published }) => [slug, published])
    assert.deepEqual(Object.fromEntries(sites), { tenants: true, shop: false })
  })
})

onEachApi('the operator', (test) => {
  test('creates an account with an invited owner, or without', async (api) => {
    const create = (json: object) =>
      api.send<{
        account: { id: string }
        key: CreatedKey
        invitation: { url: string; role: string } | null
      }>('POST /v1/operator/accounts', api.operator, { json })
    assert.equal((await create({ name: 'Quiet' })).body.invitation, null)
    const made = await create({ name: 'Harbour', ownerEmail: ' Grace@Example.com' })
    assert.equal(made.body.invitation?.role, 'owner')
    const token = made.body.invitation?.url.split('#')[1]
    const json = { token, name: 'Grace', password: 'correct horse battery' }
    const joined = await api.send<Session>('POST /v1/invitations/accept', nobody, { json })
    assert.deepEqual(
      [joined.status, joined.body.account?.id, joined.body.role, joined.body.person.email],
      [201, made.body.account.id, 'owner', 'grace@example.com'],
    )
  })

  test('finds people by part of their name or email address', async (api) => {
    const { owner } = await published(api)
    const find = async (search: string) => {
      const path = `GET /v1/operator/people?search=${encodeURIComponent(search)}`
      return (await api.send<Page<OperatorPerson>>(path, api.operator)).body.items
    }
    const [found] = await find(owner.email.slice(0, 9).toUpperCase())
    assert.deepEqual([found?.email, found?.accounts.length], [owner.email, 1])
    assert.deepEqual(await find('nobody at all'), [])
    assert.equal((await api.send('GET /v1/operator/people', owner.caller)).status, 403)
  })
})
