import assert from 'node:assert/strict'
import type { Page } from '@masthead/contract/schemas/fields.ts'
import type { PersonDetails, PersonSession, Session } from '@masthead/contract/schemas/people.ts'
import { insertMember } from '../../people/store.ts'
import { type ApiUnderTest, type Caller, nobody, onEachApi, sessionToken } from '../api.test-kit.ts'

const password = 'correct horse battery'
const better = 'staple ladder orchid'
const email = 'ada@example.com'

async function ada(api: ApiUnderTest) {
  const { id } = await api.newAccount()
  await api.newPerson(id, 'owner')
  return { accountId: id, ...(await api.newPerson(id, 'developer', { email, password })) }
}

function signIn(api: ApiUnderTest, as = { email, password }, agent = 'curl/8') {
  return api.send<Session>('POST /v1/session', nobody, { json: as, headers: { 'User-Agent': agent } })
}

async function eventTypes(api: ApiUnderTest, caller: Caller): Promise<string[]> {
  const { body } = await api.send<Page<{ type: string }>>('GET /v1/events?limit=100', caller)
  return body.items.map(({ type }) => type)
}

onEachApi('a person', (test) => {
  test('can read and rename themselves; keys and strangers cannot', async (api) => {
    const person = await ada(api)
    const { body } = await api.send<PersonDetails>('GET /v1/person', person.caller)
    assert.deepEqual(
      [body.email, body.accounts.map(({ role }) => role), body.operator],
      [email, ['developer'], false],
    )
    const renamed = await api.send<PersonDetails>('PATCH /v1/person', person.caller, {
      json: { name: ' Ada L. ' },
    })
    assert.deepEqual([renamed.status, renamed.body.name], [200, 'Ada L.'])
    assert.ok((await eventTypes(api, person.caller)).includes('member.changed'))
    const key = await api.newKey(person.accountId, ['admin', 'read'])
    for (const route of ['GET /v1/person', 'GET /v1/person/sessions']) {
      assert.equal((await api.send(route, key.caller)).status, 403)
      assert.equal((await api.send(route, nobody)).status, 401)
    }
    const foreign = { ...person.caller, Origin: 'https://evil.example' }
    const refused = await api.send('PATCH /v1/person', foreign, { json: { name: 'Eve' } })
    assert.equal(refused.body.code, 'origin_refused')
  })

  test('can change their email address only with the password, and only to a free one', async (api) => {
    const person = await ada(api)
    const change = (json: object) => api.send<PersonDetails>('PATCH /v1/person', person.caller, { json })
    const moved = 'lovelace@example.com'
    assert.deepEqual((await change({ email: moved })).status, 422)
    const wrong = await api.send('PATCH /v1/person', person.caller, {
      json: { email: moved, current: 'not it' },
    })
    assert.deepEqual(
      [wrong.status, wrong.body.code, wrong.body.errors?.[0]?.path],
      [403, 'wrong_password', 'current'],
    )
    const { email: taken } = await api.newPerson(person.accountId, 'viewer')
    const json = { email: taken.toUpperCase(), current: password }
    const refused = await api.send('PATCH /v1/person', person.caller, { json })
    assert.deepEqual([refused.status, refused.body.code], [409, 'email_taken'])
    assert.equal((await change({ email: ` ${moved.toUpperCase()} `, current: password })).body.email, moved)
    assert.equal((await signIn(api)).status, 401)
    assert.equal((await signIn(api, { email: moved, password })).status, 201)
  })

  test('gets few guesses at the current password, however many sessions try', async (api) => {
    const person = await ada(api)
    const second = api.bySession(sessionToken(await signIn(api)))
    const statuses = new Set<number>()
    for (let attempt = 0; attempt < 12; attempt++) {
      const as = attempt % 2 === 0 ? person.caller : second
      const json = { current: `guess ${attempt}`, new: better }
      statuses.add((await api.send('PUT /v1/person/password', as, { json })).status)
    }
    assert.deepEqual([...statuses], [403, 429])
    assert.equal((await signIn(api)).status, 201)
  })

  test('changes the password: other sessions end, this one and the new password stay', async (api) => {
    const person = await ada(api)
    const others = [await signIn(api), await signIn(api)].map((answer) => api.bySession(sessionToken(answer)))
    const change = (json: object) =>
      api.send<{ sessionsEnded: number }>('PUT /v1/person/password', person.caller, { json })
    assert.equal((await change({ current: 'wrong', new: better })).status, 403)
    assert.equal((await change({ current: password, new: 'short' })).status, 422)
    assert.equal((await change({ current: password, new: email })).status, 422)
    for (const caller of others) assert.equal((await api.send('GET /v1/session', caller)).status, 200)
    const changed = await change({ current: password, new: better })
    assert.deepEqual([changed.status, changed.body.sessionsEnded], [200, 2])
    for (const caller of others) assert.equal((await api.send('GET /v1/session', caller)).status, 401)
    assert.equal((await api.send('GET /v1/session', person.caller)).status, 200)
    assert.equal((await signIn(api)).status, 401)
    assert.equal((await signIn(api, { email, password: better })).status, 201)
    assert.ok((await eventTypes(api, person.caller)).includes('member.password_changed'))
  })

  test('sees where they are signed in, and ends one session or all others', async (api) => {
    const person = await ada(api)
    const firefox = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0'
    const second = api.bySession(sessionToken(await signIn(api, undefined, firefox)))
    const third = api.bySession(sessionToken(await signIn(api)))
    const eve = await api.newPerson(person.accountId, 'viewer')
    const list = async (as: Caller) =>
      (await api.send<Page<PersonSession>>('GET /v1/person/sessions', as)).body.items
    const seen = await list(second)
    assert.deepEqual(
      seen.map(({ current, browser }) => [current, browser]),
      [
        [false, 'curl'],
        [true, 'Firefox on Linux'],
        [false, null],
      ],
    )
    assert.equal(seen[0]?.address, '127.0.0.1')
    const [newest] = seen
    assert.equal((await api.send(`DELETE /v1/person/sessions/${newest?.id}`, eve.caller)).status, 404)
    assert.equal((await api.send(`DELETE /v1/person/sessions/${newest?.id}`, second)).status, 204)
    assert.equal((await api.send('GET /v1/session', third)).status, 401)
    const ended = await api.send<{ sessionsEnded: number }>('DELETE /v1/person/sessions', second)
    assert.equal(ended.body.sessionsEnded, 1)
    assert.equal((await api.send('GET /v1/session', person.caller)).status, 401)
    assert.equal((await api.send('GET /v1/session', eve.caller)).status, 200)
    const [own] = await list(second)
    const last = await api.send(`DELETE /v1/person/sessions/${own?.id}`, second)
    assert.deepEqual([last.status, sessionToken(last)], [204, ''])
    assert.equal((await api.send('GET /v1/session', second)).status, 401)
  })

  test('stays signed in while nothing can be written', async (api) => {
    const person = await ada(api)
    const { database } = api.context
    const write = database.write
    database.write = () => Promise.reject(new Error('the disk is full'))
    try {
      api.clock.at += 24 * 3_600_000
      assert.equal((await api.send('GET /v1/session', person.caller)).status, 200)
    } finally {
      database.write = write
    }
  })

  test('leaves an account, whatever their role, unless they are its last owner', async (api) => {
    const person = await ada(api)
    const other = await api.newAccount('Other')
    const row = { account_id: other.id, person_id: person.id, role: 'owner', joined_at: 2 ** 42 } as const
    await api.context.database.write((tx) => insertMember(tx, row))
    const leave = (id: string) => api.send(`DELETE /v1/person/accounts/${id}`, person.caller)
    const refused = await leave(other.id)
    assert.deepEqual([refused.status, refused.body.code], [409, 'last_owner'])
    assert.equal((await leave(person.accountId)).status, 204)
    assert.equal((await leave(person.accountId)).status, 404)
    const { body } = await api.send<Session>('GET /v1/session', person.caller)
    assert.deepEqual(
      body.accounts.map(({ name }) => name),
      ['Other'],
    )
    const types = await api.context.database.read
      .selectFrom('events')
      .select('type')
      .where('account_id', '=', person.accountId)
      .execute()
    assert.ok(types.some(({ type }) => type === 'member.left'))
  })
})
