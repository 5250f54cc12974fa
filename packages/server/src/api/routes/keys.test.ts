import assert from 'node:assert/strict'
import type { CreatedKey, Key } from '@masthead/contract/schemas/key.ts'
import type { Page } from '@masthead/contract/schemas/page.ts'
import { hour, isoTime, minute } from '../../clock.ts'
import { type ApiUnderTest, type Caller, onEachApi } from '../api.test-kit.ts'

const create = (api: ApiUnderTest, as: Caller, json: object) =>
  api.send<CreatedKey & { code?: string; errors?: unknown }>('POST /v1/keys', as, { json })

const keysOf = async (api: ApiUnderTest, as: Caller) =>
  (await api.send<Page<Key>>('GET /v1/keys', as)).body.items

onEachApi('a key', (test) => {
  test('is made with the scopes and expiry that were asked for, and works', async (api) => {
    const { id } = await api.newAccount()
    const { caller } = await api.newPerson(id, 'owner')
    const expiresAt = isoTime(api.clock.at + hour)
    const made = await create(api, caller, { name: ' CI ', scopes: ['deploy', 'read', 'read'], expiresAt })
    assert.equal(made.status, 201)
    assert.equal(made.body.name, 'CI')
    assert.deepEqual(made.body.scopes, ['read', 'deploy'])
    assert.equal(made.body.expiresAt, expiresAt)
    assert.equal(made.body.lastUsedAt, null)
    assert.equal((await api.send('GET /v1/account', api.byKey(made.body.secret))).status, 200)
  })

  test('may do everything but administer where no scopes are named', async (api) => {
    const { id } = await api.newAccount()
    const { caller } = await api.newPerson(id, 'owner')
    assert.deepEqual((await create(api, caller, { name: 'CI' })).body.scopes, ['read', 'deploy', 'domains'])
  })

  test('shows its secret once, and afterwards only the hint', async (api) => {
    const { id } = await api.newAccount()
    const { caller } = await api.newPerson(id, 'owner')
    const { secret } = (await create(api, caller, { name: 'CI' })).body
    const list = await api.send<Page<Key>>('GET /v1/keys', caller)
    assert.ok(!list.text.includes(secret))
    assert.equal(list.body.items[0]?.hint, secret.slice(-4))
  })

  test('is stored as a hash', async (api) => {
    const { id } = await api.newAccount()
    const { caller } = await api.newPerson(id, 'owner')
    const { secret } = (await create(api, caller, { name: 'CI' })).body
    const { read } = api.context.database
    const stored = [
      await read.selectFrom('keys').selectAll().execute(),
      await read.selectFrom('events').selectAll().execute(),
    ]
    assert.equal(stored[0]?.length, 1)
    assert.ok(!JSON.stringify(stored).includes(secret))
  })

  test('cannot have scopes that its maker lacks', async (api) => {
    const { id } = await api.newAccount()
    const admin = await api.newKey(id, ['admin'])
    const refused = await create(api, admin.caller, { name: 'More', scopes: ['admin', 'deploy'] })
    assert.equal(refused.status, 403)
    assert.equal((await create(api, admin.caller, { name: 'Same', scopes: ['admin'] })).status, 201)
  })

  test('cannot be made to have expired already', async (api) => {
    const { id } = await api.newAccount()
    const { caller } = await api.newPerson(id, 'owner')
    const refused = await create(api, caller, { name: 'Late', expiresAt: isoTime(api.clock.at) })
    assert.equal(refused.status, 422)
    assert.deepEqual(refused.body.errors, [{ path: 'expiresAt', message: 'must be in the future' }])
    assert.deepEqual(await keysOf(api, caller), [])
  })

  test('is refused from the moment it expires', async (api) => {
    const { id } = await api.newAccount()
    const { caller } = await api.newPerson(id, 'owner')
    const expiresAt = isoTime(api.clock.at + hour)
    const { secret } = (await create(api, caller, { name: 'CI', expiresAt })).body
    api.clock.at += hour - 1
    assert.equal((await api.send('GET /v1/account', api.byKey(secret))).status, 200)
    api.clock.at += 1
    assert.equal((await api.send('GET /v1/account', api.byKey(secret))).status, 401)
  })

  test('is refused at once when it is revoked, also when it revokes itself', async (api) => {
    const { id } = await api.newAccount()
    const key = await api.newKey(id, ['admin'])
    assert.equal((await api.send(`DELETE /v1/keys/${key.id}`, key.caller)).status, 204)
    const refused = await api.send('GET /v1/keys', key.caller)
    assert.equal(refused.status, 401)
    assert.equal(refused.headers.get('www-authenticate'), 'Bearer error="invalid_token"')
  })

  test('tells when it was last used, to the minute', async (api) => {
    const { id } = await api.newAccount()
    const owner = await api.newPerson(id, 'owner')
    const key = await api.newKey(id, ['read'])
    const first = api.clock.at
    await api.send('GET /v1/account', key.caller)
    api.clock.at += minute / 2
    await api.send('GET /v1/account', key.caller)
    assert.equal((await keysOf(api, owner.caller))[0]?.lastUsedAt, isoTime(first))
    api.clock.at += minute
    await api.send('GET /v1/account', key.caller)
    assert.equal((await keysOf(api, owner.caller))[0]?.lastUsedAt, isoTime(api.clock.at))
  })

  test('that is mistyped, malformed or unknown is refused, on public routes too', async (api) => {
    const { id } = await api.newAccount()
    const { secret } = await api.newKey(id, ['read'])
    const mistyped = `${secret.slice(0, 10)}${secret[10] === 'x' ? 'y' : 'x'}${secret.slice(11)}`
    const wrong = [`Bearer ${mistyped}`, 'Bearer mh_', 'Bearer', 'Bearer  ', secret, `Basic ${secret}`]
    for (const Authorization of wrong) {
      for (const route of ['GET /v1/account', 'GET /v1/server']) {
        const refused = await api.send(route, { Authorization })
        assert.equal(refused.status, 401, `${Authorization} on ${route}`)
        assert.equal(refused.body.code, 'unauthenticated')
        assert.match(refused.headers.get('www-authenticate') ?? '', /^Bearer/)
        assert.ok(!refused.text.includes(secret))
      }
    }
    assert.equal((await api.send('GET /v1/account', { Authorization: `bearer   ${secret} ` })).status, 200)
  })

  test('counts before a session that comes with it', async (api) => {
    const { id } = await api.newAccount()
    const other = await api.newAccount('Other')
    const person = await api.newPerson(other.id, 'owner')
    const key = await api.newKey(id, ['read'])
    const both = { ...person.caller, ...key.caller }
    assert.equal((await api.send<{ id: string }>('GET /v1/account', both)).body.id, id)
  })
})
