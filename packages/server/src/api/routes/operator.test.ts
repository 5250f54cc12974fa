import assert from 'node:assert/strict'
import type { Account, AccountEvent } from '@masthead/contract/schemas/account.ts'
import type { Page } from '@masthead/contract/schemas/fields.ts'
import type { CreatedKey } from '@masthead/contract/schemas/key.ts'
import type { OperatorPerson } from '@masthead/contract/schemas/operator.ts'
import type { CreatedInvitation, PasswordReset, Session } from '@masthead/contract/schemas/people.ts'
import { overlap } from '../../database/interleave.test-kit.ts'
import {
  type ApiUnderTest,
  type Caller,
  nobody,
  onEachApi,
  operatorKey,
  sessionToken,
} from '../api.test-kit.ts'

const setPlan = (api: ApiUnderTest, id: string, json: object) =>
  api.send<Account & { errors?: unknown }>(`PUT /v1/operator/accounts/${id}/plan`, api.operator, { json })

onEachApi('the operator', (test) => {
  test('creates an account with a key that has all scopes', async (api) => {
    const made = await api.send<{ account: Account; key: CreatedKey }>(
      'POST /v1/operator/accounts',
      api.operator,
      { json: { name: 'Acme', plan: 'pro' } },
    )
    assert.equal(made.status, 201)
    assert.deepEqual(made.body.account.limits, {
      perMinute: 300,
      perDay: 10_000,
      domainsPerProject: 20,
      storageBytes: 25e9,
    })
    assert.deepEqual(made.body.key.scopes, ['read', 'deploy', 'domains', 'admin'])
    const account = await api.send<Account>('GET /v1/account', api.byKey(made.body.key.secret))
    assert.deepEqual(account.body, made.body.account)
    const list = await api.send<Page<Account>>('GET /v1/operator/accounts', api.operator)
    assert.equal(list.body.items[0]?.id, made.body.account.id)
  })

  test('is not recognized by a wrong or partial key', async (api) => {
    const { id } = await api.newAccount()
    const { secret } = await api.newKey(id, ['read', 'deploy', 'domains', 'admin'])
    const list = (key: string) => api.send('GET /v1/operator/accounts', api.byKey(key))
    assert.equal((await list(`${operatorKey}!`)).status, 401)
    assert.equal((await list(operatorKey.slice(0, -1))).status, 401)
    assert.equal((await list(operatorKey.toUpperCase())).status, 401)
    assert.equal((await list('short')).status, 401)
    assert.equal((await list(secret)).status, 403)
  })

  test('is a signed-in person marked as operator, and nobody else, whatever their role', async (api) => {
    const { id } = await api.newAccount('A tenant')
    const operator = await api.newPerson(id, 'viewer', { operator: true })
    const owner = await api.newPerson(id, 'owner')
    for (const part of ['accounts', 'bans', 'certificates', 'health']) {
      const route = `GET /v1/operator/${part}`
      assert.equal((await api.send(route, operator.caller)).status, 200, part)
      const refused = await api.send(route, owner.caller)
      assert.deepEqual([refused.status, refused.body.code], [403, 'forbidden'], part)
      assert.doesNotMatch(refused.text, /tenant/)
      assert.equal((await api.send(route, nobody)).status, 401, part)
    }
  })

  test('is named as the operator in the activity of an account, as a person too', async (api) => {
    const { id } = await api.newAccount('Acme')
    const owner = await api.newPerson(id, 'owner')
    const elsewhere = await api.newAccount('Elsewhere')
    const olga = await api.newPerson(elsewhere.id, 'viewer', { operator: true })
    const suspension = `/v1/operator/accounts/${id}/suspension`
    await api.send(`PUT ${suspension}`, olga.caller, { json: { reason: 'Unpaid' } })
    await api.send(`DELETE ${suspension}`, olga.caller)
    await api.send(`POST /v1/operator/people/${owner.id}/password-reset`, olga.caller)
    await api.send(`PUT /v1/operator/accounts/${id}/plan`, api.operator, { json: { plan: 'pro' } })
    const refused = await api.send(`POST /v1/operator/people/${olga.id}/password-reset`, olga.caller)
    assert.deepEqual([refused.status, refused.body.code], [403, 'reset_not_allowed'])
    const { body } = await api.send<Page<AccountEvent>>('GET /v1/events?limit=4', owner.caller)
    const person = { kind: 'operator', id: olga.id, name: olga.email }
    assert.deepEqual(
      body.items.map(({ type, actor }) => [type, actor]),
      [
        ['account.plan_changed', { kind: 'operator', id: null, name: 'Operator' }],
        ['member.reset_link_created', person],
        ['account.restored', person],
        ['account.suspended', person],
      ],
    )
  })

  test('makes others operators, who can end that, and one remains', async (api) => {
    const { id } = await api.newAccount()
    const first = await api.newPerson(id, 'owner', { operator: true })
    const second = await api.newPerson(id, 'viewer')
    const change = (as: Caller, person: string, operator: boolean) =>
      api.send<OperatorPerson & { code?: string }>(`PATCH /v1/operator/people/${person}`, as, {
        json: { operator },
      })
    const mayOperate = async (as: Caller) => (await api.send('GET /v1/operator/people', as)).status
    assert.equal((await change(second.caller, second.id, true)).status, 403)
    assert.deepEqual([await mayOperate(first.caller), await mayOperate(second.caller)], [200, 403])
    const made = await change(first.caller, second.id, true)
    assert.deepEqual([made.status, made.body.operator, made.body.accounts.length], [200, true, 1])
    assert.equal(await mayOperate(second.caller), 200)
    const both = await Promise.all([
      change(first.caller, second.id, false),
      change(second.caller, first.id, false),
    ])
    assert.equal(both.filter(({ status }) => status === 200).length, 1)
    const people = await api.send<Page<OperatorPerson>>('GET /v1/operator/people', api.operator)
    const [left, ...others] = people.body.items.filter(({ operator }) => operator)
    assert.deepEqual(others, [])
    const last = await change(api.operator, left?.id ?? '', false)
    assert.deepEqual([last.status, last.body.code], [409, 'last_operator'])
    assert.equal((await change(api.operator, 'usr_06d8f2k4m9q1s7x3b5n0', true)).status, 404)
    const { body } = await api.send<Page<AccountEvent>>('GET /v1/events?kind=member', first.caller)
    assert.deepEqual(
      body.items.map(({ type, actor, data }) => [type, actor.kind, data.operator]),
      [
        ['member.operator_changed', 'operator', false],
        ['member.operator_changed', 'operator', true],
      ],
    )
  })

  test('cannot sign in as somebody else with a reset link from before the role ended', async (api) => {
    const { id } = await api.newAccount()
    const olga = await api.newPerson(id, 'owner', { operator: true })
    const otto = await api.newPerson(id, 'viewer', { operator: true })
    const createLink = async (as: Caller, person: string) => {
      const { body } = await api.send<PasswordReset>(`POST /v1/operator/people/${person}/password-reset`, as)
      return body.url.split('#')[1]
    }
    const use = async (token: string | undefined) => {
      const json = { token, password: 'a ship in port is safe' }
      return (await api.send('POST /v1/password-resets/use', nobody, { json })).status
    }
    const earlier = await createLink(otto.caller, olga.id)
    await api.send(`PATCH /v1/operator/people/${otto.id}`, olga.caller, { json: { operator: false } })
    assert.equal(await use(earlier), 410)
    assert.equal(await use(await createLink(olga.caller, otto.id)), 201)
  })

  test('leaves no invitation for an owner behind, but those that they sent as a member', async (api) => {
    const [own, foreign] = [await api.newAccount('Own'), await api.newAccount('Foreign')]
    const olga = await api.newPerson(own.id, 'viewer', { operator: true })
    const otto = await api.newPerson(own.id, 'owner', { operator: true })
    const owner = await api.newPerson(foreign.id, 'owner')
    const json = { email: 'grace@example.com' }
    const route = `POST /v1/operator/accounts/${foreign.id}/invitations`
    const toForeign = await api.send<CreatedInvitation>(route, otto.caller, { json })
    const created = await api.send<{ invitation: CreatedInvitation }>(
      'POST /v1/operator/accounts',
      otto.caller,
      { json: { name: 'New', ownerEmail: json.email } },
    )
    const toOwn = await api.send<CreatedInvitation>('POST /v1/invitations', otto.caller, {
      json: { ...json, role: 'viewer' },
    })
    await api.send(`PATCH /v1/operator/people/${otto.id}`, olga.caller, { json: { operator: false } })
    const look = async ({ url }: CreatedInvitation) => {
      const token = url.split('#')[1]
      return (await api.send('POST /v1/invitations/lookup', nobody, { json: { token } })).status
    }
    assert.deepEqual(
      [await look(toForeign.body), await look(created.body.invitation), await look(toOwn.body)],
      [410, 410, 200],
    )
    const { body } = await api.send<Page<AccountEvent>>('GET /v1/events?limit=1', owner.caller)
    assert.deepEqual(
      body.items.map(({ type, actor, data }) => [type, actor.id, data.email]),
      [['invitation.revoked', olga.id, json.email]],
    )
  })

  test('can do nothing lasting in a request that overtakes the end of the role', async (api) => {
    const { id } = await api.newAccount()
    const olga = await api.newPerson(id, 'owner', { operator: true })
    for (const [route, json] of [
      [`POST /v1/operator/people/${olga.id}/password-reset`, undefined],
      [`PATCH /v1/operator/people/${olga.id}`, { operator: false }],
      [`POST /v1/operator/accounts/${id}/invitations`, { email: 'grace@example.com' }],
      ['POST /v1/operator/accounts', { name: 'Mine', ownerEmail: 'grace@example.com' }],
    ] as const) {
      const otto = await api.newPerson(id, 'viewer', { operator: true })
      await api.newPerson(id, 'viewer', { operator: true })
      const end = `PATCH /v1/operator/people/${otto.id}`
      const [ended, refused] = await overlap(
        api.context.database,
        () => api.send(end, olga.caller, { json: { operator: false } }),
        () => api.send(route, otto.caller, json && { json }),
      )
      assert.deepEqual([ended.status, refused.status, refused.body.code], [200, 403, 'forbidden'], route)
    }
  })

  test('invites an owner to an account that has lost its only one, or its first invitation', async (api) => {
    const created = await api.send<{ account: Account; invitation: CreatedInvitation }>(
      'POST /v1/operator/accounts',
      api.operator,
      { json: { name: 'Acme', ownerEmail: 'Grace@example.com' } },
    )
    const route = `POST /v1/operator/accounts/${created.body.account.id}/invitations`
    const json = { email: 'GRACE@example.com ' }
    const again = await api.send<CreatedInvitation>(route, api.operator, { json })
    assert.equal(again.status, 201, again.text)
    assert.deepEqual(
      [again.body.email, again.body.role, again.body.invitedBy],
      ['grace@example.com', 'owner', 'Operator'],
    )
    const accept = (url: string) => {
      const newcomer = { name: 'Grace', password: 'a ship in port is safe' }
      const token = url.split('#')[1]
      return api.send<Session>('POST /v1/invitations/accept', nobody, { json: { token, ...newcomer } })
    }
    assert.equal((await accept(created.body.invitation.url)).status, 410)
    const joined = await accept(again.body.url)
    assert.deepEqual([joined.status, joined.body.role, joined.body.account?.name], [201, 'owner', 'Acme'])

    const member = await api.send(route, api.operator, { json })
    assert.deepEqual([member.status, member.body.code], [409, 'already_member'])
    const owner = api.bySession(sessionToken(joined))
    assert.equal((await api.send(route, owner, { json: { email: 'me@example.com' } })).status, 403)
    assert.equal((await api.send('DELETE /v1/account?name=Acme', owner)).status, 200)
    for (const wrong of [route, 'POST /v1/operator/accounts/acc_06d8f2k4m9q1s7x3b5n0/invitations']) {
      const gone = await api.send(wrong, api.operator, { json: { email: 'late@example.com' } })
      assert.deepEqual([gone.status, gone.body.code], [404, 'not_found'])
    }
  })

  test('invites a member as the owner of an account that has lost its only one', async (api) => {
    const { id } = await api.newAccount('Acme')
    const bob = await api.newPerson(id, 'developer')
    const route = `POST /v1/operator/accounts/${id}/invitations`
    const inviteBob = async () => {
      const json = { email: bob.email }
      const invited = await api.send<CreatedInvitation>(route, api.operator, { json })
      assert.equal(invited.status, 201, invited.text)
      return { token: invited.body.url.split('#')[1] }
    }
    const accept = (json: object) => api.send<Session>('POST /v1/invitations/accept', bob.caller, { json })
    const joined = await accept(await inviteBob())
    assert.deepEqual([joined.status, joined.body.role], [201, 'owner'])
    const session = api.bySession(sessionToken(joined))
    const refused = await api.send(route, api.operator, { json: { email: bob.email } })
    assert.deepEqual([refused.status, refused.body.code], [409, 'already_member'])
    const { body } = await api.send<Page<AccountEvent>>('GET /v1/events?limit=1', session)
    assert.deepEqual(
      body.items.map(({ type, actor, data }) => [type, actor.id, data]),
      [['member.role_changed', bob.id, { email: bob.email, role: 'owner' }]],
    )

    const alice = await api.newPerson(id, 'owner')
    const change = (role: string) => api.send(`PATCH /v1/members/${bob.id}`, alice.caller, { json: { role } })
    await change('developer')
    const unused = await inviteBob()
    await change('viewer')
    assert.equal((await accept(unused)).status, 410, 'the later decision counts')
  })

  test('sets the limits of an Enterprise account, which another plan resets', async (api) => {
    const { id } = await api.newAccount()
    const limits = { perMinute: 5_000, perDay: 2_000_000, domainsPerProject: 500, storageBytes: 5e12 }
    const agreed = await setPlan(api, id, { plan: 'enterprise', limits })
    assert.equal(agreed.status, 200)
    assert.deepEqual(agreed.body.limits, limits)
    const { caller } = await api.newKey(id, ['read'])
    const owner = await api.newPerson(id, 'owner')
    for (const who of [caller, owner.caller]) {
      assert.deepEqual((await api.send<Account>('GET /v1/account', who)).body.limits, limits)
    }
    const list = await api.send<Page<Account>>('GET /v1/operator/accounts', api.operator)
    assert.deepEqual(list.body.items.find((account) => account.id === id)?.limits, limits)
    const { perMinute, perDay } = limits
    const requests = { perMinute, perDay }
    const anyNumber = await setPlan(api, id, { plan: 'enterprise', limits: requests })
    assert.deepEqual(anyNumber.body.limits, {
      ...requests,
      domainsPerProject: null,
      storageBytes: 250e9,
    })
    const smaller = await setPlan(api, id, { plan: 'business' })
    assert.deepEqual(smaller.body.limits, {
      perMinute: 1_000,
      perDay: 100_000,
      domainsPerProject: 100,
      storageBytes: 250e9,
    })
  })

  test('cannot set limits on another plan, nor Enterprise without them, nor limits that do not exist', async (api) => {
    const { id } = await api.newAccount()
    const limits = { perMinute: 5_000, perDay: 2_000_000 }
    const path = 'limits'
    const message = 'is required for the enterprise plan, and allowed only there'
    for (const json of [{ plan: 'pro', limits }, { plan: 'enterprise' }]) {
      const refused = await setPlan(api, id, json)
      assert.equal(refused.status, 422)
      assert.deepEqual(refused.body.errors, [{ path, message }])
    }
    const unknown = await setPlan(api, id, { plan: 'enterprise', limits: { ...limits, perHour: 1 } })
    assert.deepEqual(unknown.body.errors, [{ path: 'limits.perHour', message: 'is not a known field' }])
    for (const wrong of [{ perMinute: 0 }, { domainsPerProject: 0 }, { domainsPerProject: 1e6 }]) {
      const refused = await setPlan(api, id, { plan: 'enterprise', limits: { ...limits, ...wrong } })
      assert.equal(refused.status, 422)
    }
  })

  test('gets 404 for a missing account', async (api) => {
    assert.equal((await setPlan(api, 'acc_06d8f2k4m9q1s7x3b5n0', { plan: 'pro' })).status, 404)
    assert.equal((await setPlan(api, 'nonsense', { plan: 'pro' })).status, 404)
  })
})
