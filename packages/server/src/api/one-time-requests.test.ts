import assert from 'node:assert/strict'
import type { Invitation, PasswordReset, Session } from '@masthead/contract/schemas/people.ts'
import type { ProblemDocument } from '@masthead/contract/schemas/problem-document.ts'
import { minute } from '../kernel/clock.ts'
import { newSetupToken } from '../people/sign-in/set-up.ts'
import { type ApiUnderTest, type Caller, nobody, onEachApi, sessionToken } from './api.test-kit.ts'

const password = 'correct horse battery'
const better = 'staple ladder orchid'

type Claimed = { state: string; secret: string | null } & Partial<ProblemDocument>

const send = <T = ProblemDocument>(api: ApiUnderTest, route: string, as: Caller, json: object, key = 'one') =>
  api.send<T>(route, as, { json, headers: { 'Idempotency-Key': key } })

const refusal = ({ status, body }: { status: number; body: Partial<ProblemDocument> }) => [status, body.code]

const countRows = async (api: ApiUnderTest) =>
  (await api.context.database.read.selectFrom('idempotency').select('key').execute()).length

/** Each is one request that can be carried out only once. */
async function prepare(api: ApiUnderTest) {
  const { id } = await api.newAccount()
  const owner = await api.newPerson(id, 'owner', { password })
  const tokenOf = ({ body }: { body: { url: string } }) => body.url.split('#')[1]
  const invite = async (email: string) => {
    const json = { email, role: 'developer' }
    return tokenOf(
      await api.send<Invitation & { url: string }>('POST /v1/invitations', owner.caller, { json }),
    )
  }
  return {
    id,
    owner,
    invite,
    async login(decision: 'approve' | 'deny' | null = 'approve') {
      const json = { client: 'cli' }
      const { body } = await api.send<{ code: string; secret: string }>('POST /v1/logins', nobody, { json })
      if (decision !== null) await api.send(`POST /v1/logins/${body.code}/${decision}`, owner.caller)
      return (key?: string) =>
        send<Claimed>(api, 'POST /v1/logins/claim', nobody, { secret: body.secret }, key)
    },
    async join() {
      const json = { token: await invite('grace@example.com'), name: 'Grace', password }
      return (key?: string) => send<Session>(api, 'POST /v1/invitations/accept', nobody, json, key)
    },
    async reset() {
      const person = await api.newPerson(id, 'developer', { password })
      const made = await api.send<PasswordReset>(`POST /v1/members/${person.id}/password-reset`, owner.caller)
      const json = { token: tokenOf(made), password: better }
      return (key?: string) => send<Session>(api, 'POST /v1/password-resets/use', nobody, json, key)
    },
    async setUp() {
      const token = await newSetupToken(api.context, id)
      const json = { token, name: 'Ada', email: 'ada@example.com', password }
      return (key?: string) => send<Session>(api, 'POST /v1/setup', nobody, json, key)
    },
    async signUp() {
      const json = { name: 'Alan', email: 'alan@example.com', password }
      return (key?: string) => send<Session>(api, 'POST /v1/signup', nobody, json, key)
    },
  }
}

onEachApi('a one-time request whose answer was lost', (test) => {
  test('gives the same key when a login is claimed again', async (api) => {
    const claim = await (await prepare(api)).login()
    const [first, again] = [await claim(), await claim()]
    assert.equal(first.body.state, 'approved')
    assert.equal(first.headers.get('idempotent-replayed'), null)
    assert.equal(again.headers.get('idempotent-replayed'), 'true')
    assert.deepEqual([again.status, again.body], [200, first.body])
    assert.equal((await api.send('GET /v1/whoami', api.byKey(again.body.secret ?? ''))).status, 200)
    assert.deepEqual(refusal(await claim('another')), [410, 'link_invalid'])
  })

  test(
    'opens the same session when a link, an invitation or a sign-up is repeated',
    async (api) => {
      const { join, reset, setUp, signUp } = await prepare(api)
      for (const request of [await join(), await reset(), await setUp(), await signUp()]) {
        const [first, again] = [await request(), await request()]
        assert.equal(first.status, 201, first.text)
        assert.deepEqual([again.status, again.body], [201, first.body])
        assert.equal(sessionToken(again), sessionToken(first))
        assert.equal(
          (await api.send('GET /v1/session', api.bySession(sessionToken(again)))).status,
          200,
          again.text,
        )
        assert.match(refusal(await request('another')).join(' '), /^(410 link_invalid|409 email_taken)$/)
      }
    },
    { signup: 'open' },
  )

  test('is a success for a changed password, and ends no further sessions', async (api) => {
    const { owner } = await prepare(api)
    const change = (key: string, json: object = { current: password, new: better }) =>
      send<{ sessionsEnded: number }>(api, 'PUT /v1/person/password', owner.caller, json, key)
    await api.send('POST /v1/session', nobody, { json: { email: owner.email, password } })
    const first = await change('one')
    assert.deepEqual([first.status, first.body], [200, { sessionsEnded: 1 }])
    const again = await change('one')
    assert.deepEqual([again.status, again.body], [200, { sessionsEnded: 1 }])
    assert.deepEqual(refusal(await change('another')), [403, 'wrong_password'])
    assert.deepEqual(refusal(await change('one', { current: password, new: 'another long password' })), [
      403,
      'wrong_password',
    ])
  })

  test('is carried out once when sent many times at once', async (api) => {
    const { login, reset } = await prepare(api)
    const claim = await login()
    const claims = await Promise.all([1, 2, 3, 4, 5].map(() => claim()))
    assert.equal(new Set(claims.map(({ body }) => body.secret)).size, 1, claims[1]?.text ?? '')
    const use = await reset()
    const sessions = await Promise.all([1, 2, 3].map(() => use()))
    assert.equal(new Set(sessions.map(sessionToken)).size, 1)
    assert.notEqual(sessionToken(sessions[0] ?? assert.fail()), '')
  })

  test('is refused after ten minutes', async (api) => {
    const claim = await (await prepare(api)).login()
    await claim()
    api.clock.at += 10 * minute - 1
    assert.equal((await claim()).status, 200)
    api.clock.at += 1
    assert.deepEqual(refusal(await claim()), [410, 'link_invalid'])
  })

  test('counts against the limit of its address like the first', async (api) => {
    const claim = await (await prepare(api)).login()
    const left = async () => Number((await claim()).headers.get('x-ratelimit-remaining'))
    const first = await left()
    assert.deepEqual([await left(), await left()], [first - 1, first - 2])
  })
})

onEachApi('the stored result of a one-time request', (test) => {
  test('is for the person who accepted the invitation, in whichever session, and not for the inviter', async (api) => {
    const { owner, invite } = await prepare(api)
    const other = await api.newAccount('Elsewhere')
    const grace = await api.newPerson(other.id, 'owner')
    const token = await invite(grace.email)
    const accept = (as: Caller, json: object = { token }) =>
      send<Session>(api, 'POST /v1/invitations/accept', as, json)
    const first = await accept(grace.caller)
    assert.equal(first.status, 201, first.text)
    // The browser may have got the new cookie although the rest of the answer was lost.
    for (const caller of [grace.caller, api.bySession(sessionToken(first))]) {
      const again = await accept(caller)
      assert.deepEqual([again.status, sessionToken(again)], [201, sessionToken(first)])
    }
    for (const [caller, json] of [
      [owner.caller, { token }],
      [nobody, { token }],
      [nobody, { token, name: 'Grace', password }],
    ] as const) {
      assert.deepEqual(refusal((await accept(caller, json)) as never), [410, 'link_invalid'])
    }
  })

  test('exists only for what was carried out', async (api) => {
    const { login, owner } = await prepare(api)
    const [pending, denied] = [await login(null), await login('deny')]
    const before = await countRows(api)
    for (const key of ['one', 'two']) assert.equal((await pending(key)).body.state, 'pending')
    const token = 'x'.repeat(43)
    await send(api, 'POST /v1/logins/claim', nobody, { secret: token })
    await send(api, 'POST /v1/password-resets/use', nobody, { token, password })
    await send(api, 'PUT /v1/person/password', owner.caller, { current: 'wrong', new: better })
    assert.equal(await countRows(api), before)
    assert.equal((await denied('one')).body.state, 'denied')
    assert.equal(await countRows(api), before + 1)
  })

  test('shows none of its secrets, nor the key that it was sent with', async (api) => {
    const { login, join } = await prepare(api)
    const claimed = await (await login())('key-of-the-claim')
    const joined = await (await join())('key-of-the-join')
    const rows = await api.context.database.read.selectFrom('idempotency').selectAll().execute()
    const stored = JSON.stringify(rows) + rows.map(({ answer }) => Buffer.from(answer ?? '', 'base64'))
    const secrets = [claimed.body.secret ?? '', sessionToken(joined), 'key-of-the-claim', 'key-of-the-join']
    for (const secret of secrets) assert.ok(!stored.includes(secret))
  })

  test('needs a valid Idempotency-Key', async (api) => {
    const claim = await (await prepare(api)).login()
    assert.deepEqual(refusal(await claim('with a space')), [400, 'invalid_request'])
    assert.equal((await claim()).body.state, 'approved')
  })
})
