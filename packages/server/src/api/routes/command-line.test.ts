import assert from 'node:assert/strict'
import type { Identity } from '@masthead/contract/schemas/people.ts'
import { minute } from '../../clock.ts'
import { type ApiUnderTest, nobody, onEachApi } from '../api.test-kit.ts'

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

  test('shows the person what asks, however they write the code', async (api) => {
    const { id } = await api.newAccount()
    const { caller } = await api.newPerson(id, 'viewer')
    const { code } = await start(api)
    const login = await api.send<Record<string, string>>(`GET /v1/logins/${code.toLowerCase()}`, caller)
    assert.equal(login.status, 200)
    assert.equal(login.body.code, code)
    assert.equal(login.body.client, 'masthead on a laptop')
    assert.equal(login.body.address, '127.0.0.1')
  })

  test('gets a key with the scopes of who approved it, once', async (api) => {
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

  test('claimed many times at the same moment gets one key', async (api) => {
    const { id } = await api.newAccount()
    const { caller } = await api.newPerson(id, 'owner')
    const { code, secret } = await start(api)
    await api.send(`POST /v1/logins/${code}/approve`, caller)
    const claims = await Promise.all([1, 2, 3, 4].map(() => claim(api, secret)))
    assert.deepEqual(claims.map(({ status }) => status).sort(), [200, 410, 410, 410])
    const keys = await api.context.database.read.selectFrom('keys').selectAll().execute()
    assert.equal(keys.length, 1)
  })

  test('that is denied hears of it and gets nothing', async (api) => {
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

  test('ends with the membership of who approved it', async (api) => {
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
