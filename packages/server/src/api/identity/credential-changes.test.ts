import assert from 'node:assert/strict'
import type { Id } from '@masthead/contract/schemas/fields.ts'
import { hour, minute } from '../../kernel/clock.ts'
import { createKey } from '../../keys/manage-keys.ts'
import { type ApiUnderTest, by, type Caller, onEachApi, sessionToken } from '../api.test-kit.ts'

/** Twice, so that the second answer comes from memory. */
async function used(api: ApiUnderTest, ...callers: Caller[]): Promise<void> {
  for (const caller of [...callers, ...callers]) await statusOf(api, caller)
}

async function statusOf(api: ApiUnderTest, caller: Caller, route = 'GET /v1/account'): Promise<number> {
  return (await api.send(route, caller)).status
}

async function personalKey(api: ApiUnderTest, accountId: Id<'account'>, personId: Id<'person'>) {
  const input = { accountId, personId, name: 'laptop', scopes: ['read', 'deploy'], expiresAt: null } as const
  const { secret } = await api.context.database.write((tx) =>
    createKey(tx, { ...input, by, at: api.clock.at }),
  )
  return api.byKey(secret)
}

onEachApi('a key that was just used', (test) => {
  test('fails on the next request after it was revoked', async (api) => {
    const { id } = await api.newAccount()
    const admin = await api.newKey(id, ['read', 'admin'])
    const key = await api.newKey(id, ['read'])
    await used(api, key.caller, admin.caller)
    assert.equal(await statusOf(api, admin.caller, `DELETE /v1/keys/${key.id}`), 204)
    assert.equal(await statusOf(api, key.caller), 401)
    assert.equal(await statusOf(api, admin.caller), 200)
  })

  test('fails at the moment it expires', async (api) => {
    const { id } = await api.newAccount()
    const input = { accountId: id, name: 'short', scopes: ['read'], by, at: api.clock.at } as const
    const expiresAt = api.clock.at + 500
    const { secret } = await api.context.database.write((tx) => createKey(tx, { ...input, expiresAt }))
    await used(api, api.byKey(secret))
    api.clock.at = expiresAt - 1
    assert.equal(await statusOf(api, api.byKey(secret)), 200)
    api.clock.at = expiresAt
    assert.equal(await statusOf(api, api.byKey(secret)), 401)
  })

  test('follows its account: name, plan, suspension, restoration, deletion', async (api) => {
    const { id } = await api.newAccount()
    const { caller } = await api.newKey(id, ['read', 'admin'])
    const owner = await api.newPerson(id, 'owner')
    await used(api, caller, owner.caller)
    const operate = (route: string, json?: unknown) =>
      api.send(route.replace('ID', id), api.operator, json === undefined ? {} : { json })
    await api.send('PATCH /v1/account', owner.caller, { json: { name: 'Renamed' } })
    for (const as of [caller, owner.caller]) {
      assert.equal((await api.send<{ name: string }>('GET /v1/account', as)).body.name, 'Renamed')
    }
    const before = await api.send('GET /v1/account', caller)
    assert.equal((await operate('PUT /v1/operator/accounts/ID/plan', { plan: 'pro' })).status, 200)
    const after = await api.send('GET /v1/account', caller)
    const [less, more] = [before, after].map(({ headers }) => Number(headers.get('x-ratelimit-limit')))
    assert.ok(Number(more) > Number(less), `${less} and ${more} requests a minute`)
    const suspended = await operate('PUT /v1/operator/accounts/ID/suspension', { reason: 'Spam' })
    assert.equal(suspended.status, 200, suspended.text)
    for (const as of [caller, owner.caller]) assert.equal(await statusOf(api, as), 403)
    assert.equal((await operate('DELETE /v1/operator/accounts/ID/suspension')).status, 200)
    for (const as of [caller, owner.caller]) assert.equal(await statusOf(api, as), 200)
    assert.equal(await statusOf(api, owner.caller, 'DELETE /v1/account?name=Renamed'), 200)
    assert.equal(await statusOf(api, caller), 401)
    assert.equal(await statusOf(api, owner.caller), 403)
  })

  test('has its last use noted once a minute', async (api) => {
    const { id } = await api.newAccount()
    const { caller, id: keyId } = await api.newKey(id, ['read', 'admin'])
    const lastUse = async () => {
      const { body } = await api.send<{ items: { id: string; lastUsedAt: string }[] }>('GET /v1/keys', caller)
      return Date.parse(body.items.find((key) => key.id === keyId)?.lastUsedAt ?? '')
    }
    await used(api, caller)
    const first = api.clock.at
    assert.equal(await lastUse(), first)
    api.clock.at += minute / 2
    await used(api, caller)
    assert.equal(await lastUse(), first)
    api.clock.at += minute
    await used(api, caller)
    assert.equal(await lastUse(), api.clock.at)
  })
})

onEachApi('a session or personal key that was just used', (test) => {
  test('follows the role of its person, until they leave', async (api) => {
    const { id } = await api.newAccount()
    const owner = await api.newPerson(id, 'owner')
    const member = await api.newPerson(id, 'developer')
    const key = await personalKey(api, id, member.id)
    const callers = [member.caller, key]
    const create = async (as: Caller, slug: string) =>
      (await api.send('POST /v1/projects', as, { json: { slug } })).status
    await used(api, owner.caller, ...callers)
    for (const [n, as] of callers.entries()) assert.equal(await create(as, `first-${n}`), 201)
    const setRole = (role: string) =>
      api.send(`PATCH /v1/members/${member.id}`, owner.caller, { json: { role } })
    assert.equal((await setRole('viewer')).status, 200)
    for (const as of callers) assert.equal(await create(as, 'second'), 403)
    assert.equal((await setRole('developer')).status, 200)
    for (const [n, as] of callers.entries()) assert.equal(await create(as, `third-${n}`), 201)
    assert.equal(await statusOf(api, owner.caller, `DELETE /v1/members/${member.id}`), 200)
    assert.equal(await statusOf(api, member.caller), 403)
    assert.equal(await statusOf(api, key), 401)
  })

  test('ends on the next request after it was ended, wherever that was done', async (api) => {
    const { id } = await api.newAccount()
    const password = 'a long enough password'
    const person = await api.newPerson(id, 'viewer', { password })
    const signIn = async () => {
      const json = { email: person.email, password }
      return api.bySession(sessionToken(await api.send('POST /v1/session', {}, { json })))
    }
    const [one, two, three] = [await signIn(), await signIn(), await signIn()]
    await used(api, one, two, three, person.caller)
    assert.equal(await statusOf(api, one, 'DELETE /v1/session'), 204)
    assert.equal(await statusOf(api, one), 401)
    type Sessions = { items: { id: string; current: boolean }[] }
    const { body } = await api.send<Sessions>('GET /v1/person/sessions', two)
    const current = body.items.find((session) => session.current)
    assert.equal(await statusOf(api, three, `DELETE /v1/person/sessions/${current?.id}`), 204)
    assert.equal(await statusOf(api, two), 401)
    const json = { current: password, new: 'another long password' }
    assert.equal((await api.send('PUT /v1/person/password', three, { json })).status, 200)
    assert.deepEqual([await statusOf(api, three), await statusOf(api, person.caller)], [200, 401])
  })

  test('expires when it was not used, and shows the new name of its person', async (api) => {
    const { id } = await api.newAccount()
    const { caller } = await api.newPerson(id, 'viewer')
    await used(api, caller)
    await api.send('PATCH /v1/person', caller, { json: { name: 'Ada Lovelace' } })
    type Identity = { person: { name: string } }
    assert.equal((await api.send<Identity>('GET /v1/whoami', caller)).body.person.name, 'Ada Lovelace')
    api.clock.at += 30 * 24 * hour + 1
    assert.equal(await statusOf(api, caller), 401)
  })
})
