import assert from 'node:assert/strict'
import type { Answer } from '@masthead/contract/routes.ts'
import type { Identity, Session } from '@masthead/contract/schemas/people.ts'
import { newSetupToken } from '../../people/sign-in/set-up.ts'
import { type ApiUnderTest, nobody, onEachApi, sessionToken } from '../api.test-kit.ts'

const root = '-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n'
const ada = { name: 'Ada', email: 'Ada@Example.com ', password: 'correct horse battery' }

onEachApi('the setup link', (test) => {
  test('creates the first person, who owns the first account and is operator', async (api) => {
    const { id } = await api.newAccount('My team')
    const token = await newSetupToken(api.context, id)
    const made = await api.send<Session>('POST /v1/setup', nobody, {
      json: { ...ada, token, accountName: 'Analytical Engines' },
    })
    assert.equal(made.status, 201)
    assert.equal(made.body.person.email, 'ada@example.com')
    assert.equal(made.body.person.operator, true)
    assert.equal(made.body.role, 'owner')
    assert.equal(made.body.account?.name, 'Analytical Engines')

    const me = await api.send<Identity>('GET /v1/whoami', api.bySession(sessionToken(made)))
    assert.equal(me.body.person?.id, made.body.person.id)
  })

  test('works once', async (api) => {
    const { id } = await api.newAccount()
    const token = await newSetupToken(api.context, id)
    assert.equal((await api.send('POST /v1/setup', nobody, { json: { ...ada, token } })).status, 201)
    const again = await api.send('POST /v1/setup', nobody, {
      json: { ...ada, email: 'eve@example.com', token },
    })
    assert.equal(again.status, 410)
    assert.equal(again.body.code, 'link_invalid')
  })

  test('ends when a newer one is created', async (api) => {
    const { id } = await api.newAccount()
    const older = await newSetupToken(api.context, id)
    const newer = await newSetupToken(api.context, id)
    const json = (token: string | null) => ({ json: { ...ada, token } })
    assert.equal((await api.send('POST /v1/setup', nobody, json(older))).status, 410)
    assert.equal((await api.send('POST /v1/setup', nobody, json(newer))).status, 201)
  })

  test('is not created once there is an operator', async (api) => {
    const { id } = await api.newAccount()
    const token = await newSetupToken(api.context, id)
    await api.send('POST /v1/setup', nobody, { json: { ...ada, token } })
    assert.equal(await newSetupToken(api.context, id), null)
  })

  test(
    'is still created after a stranger has signed up, who does not become operator',
    async (api) => {
      const signedUp = await api.send<Session>('POST /v1/signup', nobody, { json: ada })
      assert.equal(signedUp.body.person.operator, false)
      const { id } = await api.newAccount()
      const token = await newSetupToken(api.context, id)
      const json = { ...ada, email: 'owner@example.com', token }
      const made = await api.send<Session>('POST /v1/setup', nobody, { json })
      assert.equal(made.body.person.operator, true)
    },
    { signup: 'open' },
  )

  test('used simultaneously creates one operator', async (api) => {
    const { id } = await api.newAccount()
    const token = await newSetupToken(api.context, id)
    const tries = await Promise.all(
      [1, 2, 3, 4].map((n) =>
        api.send('POST /v1/setup', nobody, { json: { ...ada, email: `p${n}@example.com`, token } }),
      ),
    )
    assert.deepEqual(tries.map(({ status }) => status).sort(), [201, 410, 410, 410])
  })

  test('created by many processes simultaneously works for one of them', async (api) => {
    const { id } = await api.newAccount()
    const tokens = await Promise.all([1, 2, 3, 4].map(() => newSetupToken(api.context, id)))
    const links = await api.context.database.read.selectFrom('setup_links').selectAll().execute()
    assert.equal(links.length, 1)
    const statuses = []
    for (const [n, token] of tokens.entries()) {
      const json = { ...ada, email: `p${n}@example.com`, token }
      statuses.push((await api.send('POST /v1/setup', nobody, { json })).status)
    }
    assert.deepEqual(statuses.sort(), [201, 410, 410, 410])
  })

  test('is needed until it has been used', async (api) => {
    const server = () =>
      api.send<{ setupNeeded: boolean; version: string; signup: string }>('GET /v1/server', nobody)
    assert.partialDeepStrictEqual((await server()).body, {
      version: '1.2.3',
      platformDomain: 'masthead.localhost',
      setupNeeded: true,
      signup: 'invite',
    })
    const { id } = await api.newAccount()
    const token = await newSetupToken(api.context, id)
    await api.send('POST /v1/setup', nobody, { json: { ...ada, token } })
    assert.equal((await server()).body.setupNeeded, false)
  })
})

onEachApi('the server', (test) => {
  const told = async (api: ApiUnderTest) =>
    (await api.send<Answer<'getServer'>>('GET /v1/server', nobody)).body

  test('shows who changes plans, and that it is not its own certificate authority', async (api) => {
    assert.partialDeepStrictEqual(await told(api), { billing: 'none', internalCa: false })
  })

  test(
    'shows external billing, and that it is its own certificate authority',
    async (api) => {
      assert.partialDeepStrictEqual(await told(api), { billing: 'external', internalCa: true })
    },
    { billing: 'external', internalRoot: async () => ({ certificatePem: root }) },
  )
})

onEachApi('whoami', (test) => {
  test('shows a key its account and scopes, and the operator key that it has none', async (api) => {
    const { id } = await api.newAccount()
    const key = await api.newKey(id, ['deploy', 'read'])
    const asKey = await api.send<Identity>('GET /v1/whoami', key.caller)
    assert.deepEqual(asKey.body.key, { id: key.id, name: key.name })
    assert.deepEqual(asKey.body.scopes, ['read', 'deploy'])
    assert.equal(asKey.body.account?.id, id)

    const asOperator = await api.send<Identity>('GET /v1/whoami', api.operator)
    const none = { kind: 'operator', account: null, person: null, key: null, scopes: [] }
    assert.deepEqual(asOperator.body, none)
  })
})

onEachApi('the root of the internal CA', (test) => {
  test(
    'is public',
    async (api) => {
      const { status, headers, text } = await api.send('GET /v1/ca.pem', nobody)
      assert.deepEqual([status, headers.get('content-type'), text], [200, 'application/x-pem-file', root])
    },
    { internalRoot: async () => ({ certificatePem: root }) },
  )

  test('is not found if certificates come from another CA', async (api) => {
    const { status, body } = await api.send('GET /v1/ca.pem', nobody)
    assert.deepEqual([status, body.code], [404, 'not_found'])
  })
})
