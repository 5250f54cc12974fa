import assert from 'node:assert/strict'
import type { PasswordReset, PasswordResetPreview, Session } from '@masthead/contract/schemas/people.ts'
import { overlap } from '../../database/interleave.test-kit.ts'
import { day } from '../../kernel/clock.ts'
import { insertMember } from '../../people/store.ts'
import { type ApiUnderTest, type Caller, nobody, onEachApi, sessionToken } from '../api.test-kit.ts'

const password = 'correct horse battery'
const better = 'staple ladder orchid'

async function team(api: ApiUnderTest) {
  const { id } = await api.newAccount()
  const owner = await api.newPerson(id, 'owner')
  const member = await api.newPerson(id, 'viewer', { password })
  return { id, owner, member }
}

async function link(api: ApiUnderTest, as: Caller, person: string, route = '/v1/members/{}/password-reset') {
  const answer = await api.send<PasswordReset>(`POST ${route.replace('{}', person)}`, as)
  return { ...answer, token: answer.body.url?.split('#')[1] ?? '' }
}

const byOperator = '/v1/operator/people/{}/password-reset'
const use = (api: ApiUnderTest, token: string, chosen = better) =>
  api.send<Session>('POST /v1/password-resets/use', nobody, { json: { token, password: chosen } })

function refusal(answer: { status: number; body: unknown }): unknown {
  return [answer.status, (answer.body as { code?: string }).code]
}

onEachApi('a password', (test) => {
  test("can be reset once with an owner's link, which ends all sessions", async (api) => {
    const { owner, member } = await team(api)
    const created = await link(api, owner.caller, member.id)
    assert.equal(created.status, 201)
    assert.equal(created.body.email, member.email)
    assert.match(created.body.url, /\/reset-password#[\w-]{43}$/)
    const stored = JSON.stringify(
      await api.context.database.read.selectFrom('password_resets').selectAll().execute(),
    )
    assert.ok(!stored.includes(created.token))
    const json = { token: created.token }
    const shown = await api.send<PasswordResetPreview>('POST /v1/password-resets/lookup', nobody, { json })
    assert.equal(shown.body.email, member.email)

    assert.deepEqual(refusal(await use(api, created.token, 'short')), [422, 'invalid_input'])
    const done = await use(api, created.token)
    assert.equal(done.status, 201)
    assert.equal((await api.send('GET /v1/session', member.caller)).status, 401)
    assert.equal((await api.send('GET /v1/projects', api.bySession(sessionToken(done)))).status, 200)
    assert.deepEqual(refusal(await use(api, created.token)), [410, 'link_invalid'])
    const signIn = (chosen: string) =>
      api.send('POST /v1/session', nobody, { json: { email: member.email, password: chosen } })
    assert.deepEqual([(await signIn(password)).status, (await signIn(better)).status], [401, 201])
    const events = await api.send<{ items: { type: string }[] }>('GET /v1/events', owner.caller)
    const types = events.body.items.map(({ type }) => type)
    assert.ok(types.includes('member.reset_link_created') && types.includes('member.password_reset'))
  })

  test('has one link, even if two are created at once', async (api) => {
    const { owner, member } = await team(api)
    const create = () => link(api, owner.caller, member.id)
    const [first, second] = await overlap(api.context.database, create, create)
    assert.deepEqual([first.status, second.status], [201, 201])
    assert.deepEqual(refusal(await use(api, first.token)), [410, 'link_invalid'])
    assert.equal((await use(api, second.token)).status, 201)
  })

  test('cannot be reset by an owner for members of other accounts or operators', async (api) => {
    const { id, owner, member } = await team(api)
    const other = await api.newAccount('Other')
    const join = (person_id: typeof member.id) =>
      api.context.database.write((tx) =>
        insertMember(tx, { account_id: other.id, person_id, role: 'viewer', joined_at: api.clock.at }),
      )
    const operator = await api.newPerson(id, 'viewer', { operator: true })
    const early = await link(api, owner.caller, member.id)
    await join(member.id)
    for (const person of [member.id, operator.id, owner.id]) {
      assert.deepEqual(refusal(await link(api, owner.caller, person)), [403, 'reset_not_allowed'])
    }
    assert.deepEqual(refusal(await use(api, early.token)), [410, 'link_invalid'])
    const stranger = await api.newPerson(other.id, 'viewer')
    assert.deepEqual(refusal(await link(api, owner.caller, stranger.id)), [404, 'not_found'])

    const made = await link(api, api.operator, member.id, byOperator)
    assert.equal((await use(api, made.token)).status, 201)
  })

  test('cannot be reset by keys, roles without admin, or strangers', async (api) => {
    const { id, owner, member } = await team(api)
    const key = await api.newKey(id, ['read', 'deploy', 'domains', 'admin'])
    assert.equal((await link(api, key.caller, member.id)).status, 403)
    assert.equal((await link(api, member.caller, owner.id)).status, 403)
    assert.equal((await link(api, nobody, member.id)).status, 401)
    assert.equal((await link(api, owner.caller, member.id, byOperator)).status, 403)
    for (const token of ['', 'x', 'a'.repeat(200)]) {
      assert.notEqual((await use(api, token)).status, 201)
    }
  })

  test('cannot be reset with a link that is a day old, replaced, or older than the password', async (api) => {
    const { owner, member } = await team(api)
    const first = await link(api, owner.caller, member.id)
    const second = await link(api, owner.caller, member.id)
    assert.equal((await use(api, first.token)).status, 410)
    api.clock.at += day
    assert.equal((await use(api, second.token)).status, 410)
    const third = await link(api, owner.caller, member.id)
    const json = { current: password, new: better }
    assert.equal((await api.send('PUT /v1/person/password', member.caller, { json })).status, 200)
    assert.equal((await use(api, third.token)).status, 410)
  })

  test("cannot be reset with an owner's link once an owner is removed, leaves or is demoted", async (api) => {
    for (const end of [
      (fired: string, by: Caller) => api.send(`DELETE /v1/members/${fired}`, by),
      (fired: string, by: Caller) => api.send(`DELETE /v1/members/${fired}?keys=keep`, by),
      (fired: string, by: Caller) =>
        api.send(`PATCH /v1/members/${fired}`, by, { json: { role: 'developer', keys: 'keep' } }),
      (_: string, __: Caller, own: Caller, id: string) => api.send(`DELETE /v1/person/accounts/${id}`, own),
    ]) {
      const { id, owner, member } = await team(api)
      const fired = await api.newPerson(id, 'owner')
      const { token } = await link(api, fired.caller, member.id)
      assert.ok((await end(fired.id, owner.caller, fired.caller, id)).status < 300)
      const json = { token }
      const seen = await api.send('POST /v1/password-resets/lookup', nobody, { json })
      assert.deepEqual(refusal(seen), [410, 'link_invalid'])
      assert.deepEqual(refusal(await use(api, token)), [410, 'link_invalid'])
      const made = await link(api, owner.caller, member.id)
      assert.equal((await use(api, made.token)).status, 201)
    }
  })

  test('can still be reset when a developer is removed, and with the link of the operator', async (api) => {
    const { id, owner, member } = await team(api)
    const developer = await api.newPerson(id, 'developer')
    const second = await api.newPerson(id, 'owner')
    const byOwner = await link(api, owner.caller, member.id)
    const made = await link(api, api.operator, developer.id, byOperator)
    await api.send(`DELETE /v1/members/${developer.id}`, owner.caller)
    assert.equal((await use(api, byOwner.token)).status, 201)
    await api.send(`DELETE /v1/members/${second.id}`, owner.caller)
    assert.equal((await use(api, made.token)).status, 201)
  })

  test('gets no link from an owner who is removed at the same moment', async (api) => {
    const { id, owner, member } = await team(api)
    const fired = await api.newPerson(id, 'owner')
    const [removed, created] = await overlap(
      api.context.database,
      () => api.send(`DELETE /v1/members/${fired.id}`, owner.caller),
      () => link(api, fired.caller, member.id),
    )
    assert.deepEqual([removed.status, created.status], [200, 403])
    const left = await api.context.database.read.selectFrom('password_resets').selectAll().execute()
    assert.deepEqual(left, [])
  })

  test('is set once if two use a link simultaneously', async (api) => {
    const { owner, member } = await team(api)
    const { token } = await link(api, owner.caller, member.id)
    const both = await Promise.all([use(api, token), use(api, token)])
    assert.deepEqual(both.map(({ status }) => status).sort(), [201, 410])
  })
})
