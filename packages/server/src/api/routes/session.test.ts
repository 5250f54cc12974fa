import assert from 'node:assert/strict'
import type { Session } from '@masthead/contract/schemas/people.ts'
import { day } from '../../kernel/clock.ts'
import { insertMember } from '../../people/store.ts'
import { nobody, onEachApi, sessionToken } from '../api.test-kit.ts'

const password = 'correct horse battery'
const email = 'ada@example.com'

onEachApi('a session', (test) => {
  test('starts with the right password, however the email address is spelled', async (api) => {
    const { id } = await api.newAccount()
    await api.newPerson(id, 'developer', { email, password })
    const json = { email: ' ADA@example.com', password }
    const signedIn = await api.send<Session>('POST /v1/session', nobody, { json })
    assert.equal(signedIn.status, 201)
    assert.equal(signedIn.body.account?.id, id)
    assert.equal(signedIn.body.role, 'developer')
    const session = await api.send<Session>('GET /v1/session', api.bySession(sessionToken(signedIn)))
    assert.deepEqual(session.body, signedIn.body)
  })

  test('is refused with the same error for a wrong password and an unknown address', async (api) => {
    const { id } = await api.newAccount()
    await api.newPerson(id, 'owner', { email, password })
    const answers = []
    for (const address of [email, 'nobody@example.com']) {
      const json = { email: address, password: 'wrong horse battery' }
      const { status, body, headers } = await api.send('POST /v1/session', nobody, { json })
      answers.push({ ...body, status, requestId: '', cookies: headers.getSetCookie() })
    }
    assert.equal(answers[0]?.status, 401)
    assert.equal(answers[0]?.code, 'wrong_credentials')
    assert.deepEqual(answers[0], answers[1])
  })

  test('ends on sign-out, and the cookie is cleared', async (api) => {
    const { id } = await api.newAccount()
    const { caller } = await api.newPerson(id, 'viewer')
    const signedOut = await api.send('DELETE /v1/session', caller)
    assert.equal(signedOut.status, 204)
    assert.match(signedOut.headers.getSetCookie()[0] ?? '', /^masthead_session=;.*Expires=Thu, 01 Jan 1970/)
    assert.equal((await api.send('GET /v1/session', caller)).status, 401)
  })

  test('ends thirty days after its last use', async (api) => {
    const { id } = await api.newAccount()
    const { caller } = await api.newPerson(id, 'viewer')
    api.clock.at += 30 * day - 1
    assert.equal((await api.send('GET /v1/session', caller)).status, 200)
    api.clock.at += 30 * day - 1
    assert.equal((await api.send('GET /v1/session', caller)).status, 200)
    api.clock.at += 30 * day
    assert.equal((await api.send('GET /v1/session', caller)).status, 401)
  })

  test('ends 90 days after it started, however much it is used', async (api) => {
    const { id } = await api.newAccount()
    const { caller } = await api.newPerson(id, 'viewer')
    const began = api.clock.at
    for (let days = 1; days < 90; days++) {
      api.clock.at += day
      assert.equal((await api.send('GET /v1/session', caller)).status, 200, `after ${days} days`)
    }
    const { body } = await api.send<Session>('GET /v1/session', caller)
    assert.equal(body.expiresAt, new Date(began + 90 * day).toISOString())
    api.clock.at += day
    assert.equal((await api.send('GET /v1/session', caller)).status, 401)
  })

  test('in use is extended in the browser too, but not on every request', async (api) => {
    const { id } = await api.newAccount()
    const { caller, token } = await api.newPerson(id, 'viewer')
    api.clock.at += day / 2
    assert.deepEqual((await api.send('GET /v1/session', caller)).headers.getSetCookie(), [])
    api.clock.at += day
    const prolonged = await api.send<Session>('GET /v1/account', caller)
    const expires = new Date(api.clock.at + 30 * day).toUTCString()
    assert.equal(sessionToken(prolonged), token)
    assert.ok(prolonged.headers.getSetCookie()[0]?.includes(`Expires=${expires}`))
  })

  test("can act in another account of the person, but not in somebody else's", async (api) => {
    const own = await api.newAccount('Own')
    const second = await api.newAccount('Second')
    const foreign = await api.newAccount('Foreign')
    const person = await api.newPerson(own.id, 'owner')
    await api.context.database.write((tx) =>
      insertMember(tx, { account_id: second.id, person_id: person.id, role: 'viewer', joined_at: 2 ** 42 }),
    )
    const to = (accountId: string) =>
      api.send<Session>('PATCH /v1/session', person.caller, { json: { accountId } })
    assert.equal((await to(foreign.id)).status, 404)
    const switched = await to(second.id)
    assert.equal(switched.body.account?.id, second.id)
    assert.equal(switched.body.role, 'viewer')
    assert.deepEqual(
      switched.body.accounts.map(({ name }) => name),
      ['Own', 'Second'],
    )
    const session = await api.send<Session>('GET /v1/session', person.caller)
    assert.equal(session.body.account?.id, second.id)
  })
})

onEachApi('the session cookie', (test) => {
  test('is out of reach of scripts and of other sites', async (api) => {
    const { id } = await api.newAccount()
    await api.newPerson(id, 'viewer', { email, password })
    const signedIn = await api.send('POST /v1/session', nobody, { json: { email, password } })
    const [value, ...attributes] = (signedIn.headers.getSetCookie()[0] ?? '').split('; ')
    assert.match(value ?? '', /^masthead_session=[\w-]{43}$/)
    const expires = `Expires=${new Date(api.clock.at + 30 * day).toUTCString()}`
    assert.deepEqual(attributes.sort(), [expires, 'HttpOnly', 'Path=/', 'SameSite=Lax'])
  })

  test(
    'is limited to HTTPS and this host behind a trusted HTTPS proxy',
    async (api) => {
      const { id } = await api.newAccount()
      const { token } = await api.newPerson(id, 'viewer', { email, password })
      const https = { 'X-Forwarded-Proto': 'https' }
      const signedIn = await api.send('POST /v1/session', nobody, {
        json: { email, password },
        headers: https,
      })
      const cookie = signedIn.headers.getSetCookie()[0] ?? ''
      assert.match(cookie, /^__Host-masthead_session=/)
      assert.match(cookie, /; Secure/)
      assert.doesNotMatch(cookie, /Domain/)

      const secured = { ...https, Cookie: `__Host-masthead_session=${sessionToken(signedIn)}` }
      assert.equal((await api.send('GET /v1/session', nobody, { headers: secured })).status, 200)
      const planted = { ...https, Cookie: `masthead_session=${token}` }
      assert.equal((await api.send('GET /v1/session', nobody, { headers: planted })).status, 401)
    },
    { trustedProxies: ['127.0.0.1'] },
  )

  test('ignores a forwarded protocol from strangers', async (api) => {
    const { id } = await api.newAccount()
    await api.newPerson(id, 'viewer', { email, password })
    const headers = { 'X-Forwarded-Proto': 'https' }
    const signedIn = await api.send('POST /v1/session', nobody, { json: { email, password }, headers })
    assert.match(signedIn.headers.getSetCookie()[0] ?? '', /^masthead_session=/)
  })
})

onEachApi('the origin', (test) => {
  test('of another site, or none, is refused for writes with a session', async (api) => {
    const { id } = await api.newAccount()
    const { caller } = await api.newPerson(id, 'owner')
    const { Origin: _, ...withoutOrigin } = caller
    const elsewhere = [
      withoutOrigin,
      { ...caller, Origin: 'http://evil.masthead.localhost:8080' },
      { ...caller, Origin: api.origin.replace('http:', 'https:') },
      { ...caller, Origin: 'null' },
    ]
    for (const from of elsewhere) {
      const refused = await api.send('PATCH /v1/account', from, { json: { name: 'Taken' } })
      assert.equal(refused.status, 403)
      assert.equal(refused.body.code, 'origin_refused')
    }
    assert.equal((await api.send('GET /v1/account', withoutOrigin)).status, 200)
    assert.equal((await api.send('PATCH /v1/account', caller, { json: { name: 'Own' } })).status, 200)
  })

  test(
    'is compared with the Host, not with a forwarded one',
    async (api) => {
      const { id } = await api.newAccount()
      const { caller } = await api.newPerson(id, 'owner')
      const forged = { ...caller, Origin: 'http://evil.example', 'X-Forwarded-Host': 'evil.example' }
      const refused = await api.send('PATCH /v1/account', forged, { json: { name: 'Taken' } })
      assert.equal(refused.body.code, 'origin_refused')
      const passed = { ...caller, 'X-Forwarded-Host': 'evil.example' }
      assert.equal((await api.send('PATCH /v1/account', passed, { json: { name: 'Own' } })).status, 200)
    },
    { trustedProxies: ['127.0.0.1'] },
  )

  test('does not matter for a key', async (api) => {
    const { id } = await api.newAccount()
    const { caller } = await api.newKey(id, ['admin'])
    for (const from of [caller, { ...caller, Origin: 'https://elsewhere.example' }]) {
      assert.equal((await api.send('PATCH /v1/account', from, { json: { name: 'Own' } })).status, 200)
    }
  })
})
