import assert from 'node:assert/strict'
import type { AccountEvent } from '@masthead/contract/schemas/account.ts'
import type { Deployment } from '@masthead/contract/schemas/deployment.ts'
import type { Page } from '@masthead/contract/schemas/fields.ts'
import type { CreatedKey, Key } from '@masthead/contract/schemas/key.ts'
import type { CliLogin, Identity } from '@masthead/contract/schemas/people.ts'
import { hour, isoTime, minute } from '../../kernel/clock.ts'
import { type ApiUnderTest, type Caller, nobody, onEachApi } from '../api.test-kit.ts'
import { publish } from './publish.test-kit.ts'

const create = (api: ApiUnderTest, as: Caller, json: object) =>
  api.send<CreatedKey & { code?: string; errors?: unknown }>('POST /v1/keys', as, { json })

const keysOf = async (api: ApiUnderTest, as: Caller) =>
  (await api.send<Page<Key>>('GET /v1/keys', as)).body.items

onEachApi('a key', (test) => {
  test('is created with the requested scopes and expiry, and works', async (api) => {
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

  test('can do everything but administer by default', async (api) => {
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

  test('cannot have scopes that its creator lacks', async (api) => {
    const { id } = await api.newAccount()
    const admin = await api.newKey(id, ['admin'])
    const refused = await create(api, admin.caller, { name: 'More', scopes: ['admin', 'deploy'] })
    assert.equal(refused.status, 403)
    assert.equal((await create(api, admin.caller, { name: 'Same', scopes: ['admin'] })).status, 201)
  })

  test('cannot be created with an expiry in the past', async (api) => {
    const { id } = await api.newAccount()
    const { caller } = await api.newPerson(id, 'owner')
    const refused = await create(api, caller, { name: 'Late', expiresAt: isoTime(api.clock.at) })
    assert.equal(refused.status, 422)
    assert.deepEqual(refused.body.errors, [{ path: 'expiresAt', message: 'must be in the future' }])
    assert.deepEqual(await keysOf(api, caller), [])
  })

  test('can be created with an expiry in any year of four digits, and none after', async (api) => {
    const { id } = await api.newAccount()
    const { caller } = await api.newPerson(id, 'owner')
    const asTime = 'must be a time such as 2030-01-31T12:00:00Z'
    for (const [expiresAt, message] of [
      ['9999-12-31T23:59:59-05:00', 'must be before the year 10000 in UTC'],
      ['9999-12-31T24:00:00Z', asTime],
      ['+010000-01-01T00:00:00Z', asTime],
    ] as const) {
      const refused = await create(api, caller, { name: 'Late', expiresAt })
      assert.equal(refused.status, 422, expiresAt)
      assert.deepEqual(refused.body.errors, [{ path: 'expiresAt', message }])
    }
    const last = await create(api, caller, { name: 'Last', expiresAt: '9999-12-31T18:59:59.999-05:00' })
    assert.equal(last.body.expiresAt, '9999-12-31T23:59:59.999Z')
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

  test('is refused immediately once revoked, even when it revoked itself', async (api) => {
    const { id } = await api.newAccount()
    const key = await api.newKey(id, ['admin'])
    assert.equal((await api.send(`DELETE /v1/keys/${key.id}`, key.caller)).status, 204)
    const refused = await api.send('GET /v1/keys', key.caller)
    assert.equal(refused.status, 401)
    assert.equal(refused.headers.get('www-authenticate'), 'Bearer error="invalid_token"')
  })

  test('shows when it was last used, to the minute', async (api) => {
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

  test('takes precedence over a session', async (api) => {
    const { id } = await api.newAccount()
    const other = await api.newAccount('Other')
    const person = await api.newPerson(other.id, 'owner')
    const key = await api.newKey(id, ['read'])
    const both = { ...person.caller, ...key.caller }
    assert.equal((await api.send<{ id: string }>('GET /v1/account', both)).body.id, id)
  })
})

interface Started {
  code: string
  secret: string
  url: string
  expiresAt: string
}

async function start(api: ApiUnderTest): Promise<Started> {
  const json = { client: 'masthead on a laptop' }
  return (await api.send<Started>('POST /v1/logins', nobody, { json })).body
}

const claim = (api: ApiUnderTest, secret: string) =>
  api.send<{ state: string; secret: string | null; code?: string }>('POST /v1/logins/claim', nobody, {
    json: { secret },
  })

onEachApi('a login of the command line', (test) => {
  test('waits until a person has decided', async (api) => {
    const { code, secret, url, expiresAt } = await start(api)
    assert.equal(url, `http://localhost:8080/cli#${code}`)
    assert.equal(Date.parse(expiresAt), api.clock.at + 10 * minute)
    assert.deepEqual((await claim(api, secret)).body, { state: 'pending', secret: null })
    assert.deepEqual((await claim(api, secret)).body, { state: 'pending', secret: null })
  })

  test('shows the person what is requesting it, however they spell the code', async (api) => {
    const { id } = await api.newAccount()
    const { caller } = await api.newPerson(id, 'viewer')
    const { code } = await start(api)
    const login = await api.send<Record<string, string>>(`GET /v1/logins/${code.toLowerCase()}`, caller)
    assert.equal(login.status, 200)
    assert.equal(login.body.code, code)
    assert.equal(login.body.client, 'masthead on a laptop')
    assert.equal(login.body.address, '127.0.0.1')
  })

  test('gets a key with the scopes of its approver, once', async (api) => {
    const { id } = await api.newAccount()
    const { caller } = await api.newPerson(id, 'developer')
    const { code, secret } = await start(api)
    assert.equal((await api.send(`POST /v1/logins/${code}/approve`, caller)).status, 204)
    const claimed = await claim(api, secret)
    assert.equal(claimed.body.state, 'approved')
    const me = await api.send<Identity>('GET /v1/whoami', api.byKey(claimed.body.secret ?? ''))
    assert.equal(me.body.account?.id, id)
    assert.equal(me.body.key?.name, 'masthead on a laptop')
    assert.deepEqual(me.body.scopes, ['read', 'deploy', 'domains'])
    const again = await claim(api, secret)
    assert.equal(again.status, 410)
    assert.equal(again.body.code, 'link_invalid')
  })

  test('claimed simultaneously gets one key', async (api) => {
    const { id } = await api.newAccount()
    const { caller } = await api.newPerson(id, 'owner')
    const { code, secret } = await start(api)
    await api.send(`POST /v1/logins/${code}/approve`, caller)
    const claims = await Promise.all([1, 2, 3, 4].map(() => claim(api, secret)))
    assert.deepEqual(claims.map(({ status }) => status).sort(), [200, 410, 410, 410])
    const keys = await api.context.database.read.selectFrom('keys').selectAll().execute()
    assert.equal(keys.length, 1)
  })

  test('that is denied learns it and gets nothing', async (api) => {
    const { id } = await api.newAccount()
    const { caller } = await api.newPerson(id, 'owner')
    const { code, secret } = await start(api)
    assert.equal((await api.send(`POST /v1/logins/${code}/deny`, caller)).status, 204)
    assert.equal((await api.send(`POST /v1/logins/${code}/approve`, caller)).status, 404)
    assert.deepEqual((await claim(api, secret)).body, { state: 'denied', secret: null })
  })

  test('that has expired can be neither seen, approved nor claimed', async (api) => {
    const { id } = await api.newAccount()
    const { caller } = await api.newPerson(id, 'owner')
    const { code, secret } = await start(api)
    api.clock.at += 10 * minute
    assert.equal((await api.send(`GET /v1/logins/${code}`, caller)).status, 404)
    assert.equal((await api.send(`POST /v1/logins/${code}/approve`, caller)).status, 404)
    assert.equal((await api.send(`POST /v1/logins/${code}/deny`, caller)).status, 404)
    assert.equal((await claim(api, secret)).status, 410)
  })

  test('is not claimed with the code or another secret', async (api) => {
    const { id } = await api.newAccount()
    const { caller } = await api.newPerson(id, 'owner')
    const { code } = await start(api)
    await api.send(`POST /v1/logins/${code}/approve`, caller)
    assert.equal((await claim(api, code)).status, 410)
    assert.equal((await claim(api, 'a'.repeat(43))).status, 410)
  })

  test('ends with the membership of its approver', async (api) => {
    const { id } = await api.newAccount()
    const owner = await api.newPerson(id, 'owner')
    const viewer = await api.newPerson(id, 'viewer')
    const { code, secret } = await start(api)
    await api.send(`POST /v1/logins/${code}/approve`, viewer.caller)
    await api.send(`DELETE /v1/members/${viewer.id}`, owner.caller)
    assert.deepEqual((await claim(api, secret)).body, { state: 'denied', secret: null })
  })

  test('has the scopes that the person has when it is claimed', async (api) => {
    const { id } = await api.newAccount()
    const owner = await api.newPerson(id, 'owner')
    const second = await api.newPerson(id, 'owner')
    const { code, secret } = await start(api)
    await api.send(`POST /v1/logins/${code}/approve`, second.caller)
    await api.send(`PATCH /v1/members/${second.id}`, owner.caller, { json: { role: 'viewer' } })
    const { body } = await claim(api, secret)
    const me = await api.send<Identity>('GET /v1/whoami', api.byKey(body.secret ?? ''))
    assert.deepEqual(me.body.scopes, ['read'])
  })
})

onEachApi('a CLI login', (test) => {
  async function logIn(api: ApiUnderTest, as: Caller, client: string): Promise<Caller> {
    const login = await api.send<{ code: string; secret: string }>('POST /v1/logins', nobody, {
      json: { client },
    })
    assert.equal((await api.send(`POST /v1/logins/${login.body.code}/approve`, as)).status, 204)
    const { secret } = login.body
    const claimed = await api.send<{ secret: string }>('POST /v1/logins/claim', nobody, { json: { secret } })
    return api.byKey(claimed.body.secret)
  }

  const loginsOf = async (api: ApiUnderTest, as: Caller, query = '') =>
    (await api.send<Page<CliLogin>>(`GET /v1/person/keys${query}`, as)).body

  const eventsOf = async (api: ApiUnderTest, as: Caller) =>
    (await api.send<Page<AccountEvent>>('GET /v1/events', as)).body.items

  test('is listed and revoked by its person, whatever their role, and by nobody else', async (api) => {
    const { id } = await api.newAccount('Acme')
    const owner = await api.newPerson(id, 'owner')
    const viewer = await api.newPerson(id, 'viewer')
    const [lost, kept] = [await logIn(api, viewer.caller, 'lost'), await logIn(api, viewer.caller, 'kept')]
    await logIn(api, owner.caller, 'of the owner')
    await create(api, owner.caller, { name: 'CI' })
    assert.equal((await api.send('GET /v1/keys', viewer.caller)).status, 403)
    const logins = await loginsOf(api, viewer.caller)
    assert.deepEqual(
      logins.items.map(({ name, account }) => [name, account]),
      ['kept', 'lost'].map((name) => [name, { id, name: 'Acme' }]),
    )
    const first = await loginsOf(api, viewer.caller, '?limit=1')
    const second = await loginsOf(api, viewer.caller, `?limit=1&cursor=${first.next}`)
    assert.deepEqual([...first.items, ...second.items], logins.items)
    assert.deepEqual(
      (await loginsOf(api, owner.caller)).items.map(({ name }) => name),
      ['of the owner'],
    )

    const revoke = (as: Caller, key: string | undefined) => api.send(`DELETE /v1/person/keys/${key}`, as)
    const lostId = logins.items[1]?.id
    assert.equal((await revoke(owner.caller, lostId)).status, 404)
    assert.equal((await revoke(kept, lostId)).status, 403)
    const [ofAccount] = (await keysOf(api, owner.caller)).filter(({ name }) => name === 'CI')
    assert.equal((await revoke(owner.caller, ofAccount?.id)).status, 404)
    assert.equal((await revoke(viewer.caller, lostId)).status, 204)
    assert.equal((await revoke(viewer.caller, lostId)).status, 404)
    assert.deepEqual(
      [(await api.send('GET /v1/projects', lost)).status, (await api.send('GET /v1/projects', kept)).status],
      [401, 200],
    )
    const [event] = await eventsOf(api, owner.caller)
    assert.deepEqual([event?.type, event?.actor.id, event?.data.name], ['key.revoked', viewer.id, 'lost'])
  })

  test('is named with its person in the activity and at deployments', async (api) => {
    const { id } = await api.newAccount()
    const owner = await api.newPerson(id, 'owner')
    const developer = await api.newPerson(id, 'developer')
    const rename = (name: string) => api.send('PATCH /v1/person', developer.caller, { json: { name } })
    await rename('Ada')
    const laptop = await logIn(api, developer.caller, 'masthead on laptop')
    await publish(api, laptop, 'site')
    await rename('Ada L.')
    await api.send('PATCH /v1/projects/site', laptop, { json: { name: 'Site' } })
    const { body: ci } = await create(api, owner.caller, { name: 'CI' })
    await api.send('PATCH /v1/projects/site', api.byKey(ci.secret), { json: { name: 'The site' } })
    const changes = (await eventsOf(api, owner.caller)).filter(({ type }) => type === 'project.changed')
    assert.deepEqual(
      changes.map(({ actor }) => [actor.kind, actor.name]),
      [
        ['key', 'CI'],
        ['key', 'Ada L., masthead on laptop'],
      ],
    )
    const shown = await api.send<Page<Deployment>>('GET /v1/projects/site/deployments', owner.caller)
    assert.equal(shown.body.items[0]?.createdBy, 'Ada, masthead on laptop')
  })
})
