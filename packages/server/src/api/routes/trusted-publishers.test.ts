import assert from 'node:assert/strict'
import { after, before } from 'node:test'
import type { AccountEvent } from '@masthead/contract/schemas/account.ts'
import type { Page } from '@masthead/contract/schemas/fields.ts'
import type { ExchangedKey, Key, TrustedPublisher } from '@masthead/contract/schemas/key.ts'
import type { ProblemDocument } from '@masthead/contract/schemas/problem-document.ts'
import { startOidcIssuer } from '@masthead/testing/peers/oidc/issuer.ts'
import { tarGz } from '../../deployments/archive/tar.test-kit.ts'
import { hour, isoTime, minute } from '../../kernel/clock.ts'
import { forgetExchanges } from '../../trusted-publishers/exchange-token.ts'
import { type ApiUnderTest, type Caller, nobody, onEachApi } from '../api.test-kit.ts'

const audience = 'http://localhost:8080'
const claims = { repository: 'acme/website', ref: 'refs/heads/main', environment: 'production' }

let peer: Awaited<ReturnType<typeof startOidcIssuer>>
before(async () => {
  peer = await startOidcIssuer()
})
after(() => peer[Symbol.asyncDispose]())

type Trusted = TrustedPublisher & Partial<ProblemDocument>
type Exchanged = ExchangedKey & Partial<ProblemDocument> & { reason?: string }

const trust = (api: ApiUnderTest, as: Caller, json: object) =>
  api.send<Trusted>('POST /v1/trusted-publishers', as, { json })

const exchange = (api: ApiUnderTest, token: string, project = 'website') =>
  api.send<Exchanged>('POST /v1/token', nobody, { json: { token, project } })

const events = async (api: ApiUnderTest, as: Caller) =>
  (await api.send<Page<AccountEvent>>('GET /v1/events?kind=publisher&limit=100', as)).body.items

async function setTheScene(api: ApiUnderTest) {
  // The issuer's clock is the real one.
  api.clock.at = Date.now()
  const { id } = await api.newAccount('Acme', 'business')
  const owner = (await api.newPerson(id, 'owner')).caller
  for (const slug of ['website', 'other']) await api.send('POST /v1/projects', owner, { json: { slug } })
  const added = await trust(api, owner, { issuer: peer.issuer, claims, project: 'website' })
  assert.equal(added.status, 201, added.text)
  return { id, owner, publisher: added.body }
}

onEachApi('a trusted publisher', (test) => {
  test('lets a pipeline deploy to its project for ten minutes, and nothing else', async (api) => {
    const { owner, publisher } = await setTheScene(api)
    assert.equal(publisher.audience, audience)
    const { status, body } = await exchange(api, await peer.newToken({ audience, claims }))
    assert.equal(status, 201)
    assert.deepEqual(Object.keys(body).sort(), ['expiresAt', 'secret'])
    assert.equal(body.expiresAt, isoTime(api.clock.at + 10 * minute))
    const key = api.byKey(body.secret)
    const site = new Uint8Array(tarGz({ name: 'index.html', content: '<h1>Hello' }))
    const headers = { 'Content-Type': 'application/gzip' }
    const published = await api.send('POST /v1/projects/website/deployments', key, { headers, body: site })
    assert.equal(published.status, 201, published.text)
    assert.equal((await api.send('GET /v1/projects/website', key)).status, 200)
    const refused = [
      'POST /v1/projects/other/deployments',
      'GET /v1/projects/other',
      'PATCH /v1/projects/website',
      'DELETE /v1/projects/website',
      'PUT /v1/projects/website/protection',
      'DELETE /v1/projects/website/protection',
      'GET /v1/projects/website/domains',
      'POST /v1/projects/website/domains',
      'PUT /v1/projects/website/domain-config',
      'POST /v1/projects',
      'GET /v1/projects',
      'GET /v1/events',
      'GET /v1/keys',
      'POST /v1/trusted-publishers',
    ]
    for (const route of refused) {
      const body = route.startsWith('GET') ? {} : { json: {} }
      assert.equal((await api.send(route, key, body)).status, 403, route)
    }
    const [used, added] = await events(api, owner)
    assert.equal(added?.type, 'publisher.added')
    assert.equal(used?.type, 'publisher.used')
    assert.match(used?.actor.name ?? '', /\(acme\/website\)$/)
    api.clock.at += 10 * minute
    assert.equal((await api.send('GET /v1/projects/website', key)).status, 401)
    await forgetExchanges(api.context)
    assert.deepEqual((await api.send<Page<Key>>('GET /v1/keys', owner)).body.items, [])
  })

  test('is listed with its last use, and its keys end when it is removed', async (api) => {
    const { owner, publisher } = await setTheScene(api)
    const { body } = await exchange(api, await peer.newToken({ audience, claims }))
    const list = async () =>
      (await api.send<Page<TrustedPublisher>>('GET /v1/trusted-publishers', owner)).body.items
    assert.deepEqual(await list(), [{ ...publisher, lastUsedAt: isoTime(api.clock.at) }])
    assert.equal((await api.send('GET /v1/projects/website', api.byKey(body.secret))).status, 200)
    assert.equal((await api.send(`DELETE /v1/trusted-publishers/${publisher.id}`, owner)).status, 204)
    assert.equal((await api.send('GET /v1/projects/website', api.byKey(body.secret))).status, 401)
    assert.deepEqual(await list(), [])
    assert.equal((await api.send(`DELETE /v1/trusted-publishers/${publisher.id}`, owner)).status, 404)
    const late = await exchange(api, await peer.newToken({ audience, claims }))
    assert.equal(late.body.reason, 'issuer')
  })

  test('refuses each wrong token with its reason, in the answer and in the activity', async (api) => {
    const { owner } = await setTheScene(api)
    const token = (more: object, aud = audience) =>
      peer.newToken({ audience: aud, claims: { ...claims, ...more } })
    const valid = await token({})
    const [header = '', payload = '', signature = ''] = valid.split('.')
    const unsigned = Buffer.from('{"alg":"none"}').toString('base64url')
    const cases: [string, string, RegExp][] = [
      ['claims', await token({ repository: 'evil/website' }), /repository evil\/website/],
      ['claims', await token({ repository: 'ACME/website' }), /repository ACME\/website/],
      ['claims', await token({ ref: 'refs/heads/dev' }), /ref refs\/heads\/dev/],
      [
        'claims',
        await peer.newToken({ audience, claims: { repository: 'acme/website' } }),
        /no ref and no environment/,
      ],
      [
        'audience',
        await token({}, 'https://other.example'),
        /for https:\/\/other\.example.*one for http:\/\/localhost:8080/,
      ],
      ['algorithm', `${unsigned}.${payload}.`, /none/],
      ['signature', `${header}.${payload}.${signature.slice(0, -8)}AAAAAAAA`, /signature/],
      ['malformed', 'not a token', /not a JSON Web Token/],
    ]
    for (const [reason, sent, words] of cases) {
      const refused = await exchange(api, sent)
      assert.equal(refused.status, 403, refused.text)
      assert.equal(refused.body.code, 'token_refused')
      assert.equal(refused.body.reason, reason, refused.text)
      assert.match(refused.body.detail ?? '', words)
      const [event] = await events(api, owner)
      assert.equal(event?.type, 'publisher.refused')
      assert.deepEqual([event?.data.reason, event?.data.detail], [reason, refused.body.detail])
      assert.ok(
        !refused.text.includes('acme/website') || sent !== cases[0]?.[1],
        'what is trusted stays secret',
      )
      assert.ok(api.logged.some((line) => line.includes('refused the token') && line.includes(reason)))
      assert.ok(!api.logged.some((line) => line.includes(payload)))
    }
    api.clock.at += hour
    assert.equal((await exchange(api, valid)).body.reason, 'expired')
  })

  test('accepts a token for the address of the server with a slash at the end, and for no other address', async (api) => {
    await setTheScene(api)
    const exchanged = async (aud: string) => exchange(api, await peer.newToken({ audience: aud, claims }))
    assert.equal((await exchanged(`${audience}/`)).status, 201)
    for (const other of [`${audience}//`, `${audience}/v1`, audience.slice(0, -1)])
      assert.equal((await exchanged(other)).body.reason, 'audience', other)
  })

  test('accepts each token once, also from two callers at once', async (api) => {
    await setTheScene(api)
    const token = await peer.newToken({ audience, claims })
    const both = await Promise.all([exchange(api, token), exchange(api, token)])
    assert.deepEqual(both.map(({ status }) => status).sort(), [201, 403])
    assert.equal((await exchange(api, token)).body.reason, 'replayed')
  })

  test('gives the same key when its answer was lost, but only with the same Idempotency-Key and body', async (api) => {
    await setTheScene(api)
    const token = await peer.newToken({ audience, claims })
    const repeat = (key: string, project = 'website') =>
      api.send<Exchanged>('POST /v1/token', nobody, {
        json: { token, project },
        headers: { 'Idempotency-Key': key },
      })
    const [first, again] = [await repeat('one'), await repeat('one')]
    assert.deepEqual([first.status, again.status], [201, 201])
    assert.deepEqual(again.body, first.body)
    assert.equal((await api.send('GET /v1/projects/website', api.byKey(again.body.secret))).status, 200)
    assert.deepEqual(
      [(await repeat('two')).body.reason, (await exchange(api, token)).body.reason],
      ['replayed', 'replayed'],
    )
    assert.equal((await repeat('one', 'other')).status, 403)
  })

  test('is for its project alone, and tells strangers nothing about others', async (api) => {
    await setTheScene(api)
    const token = await peer.newToken({ audience, claims })
    const answers = await Promise.all(['other', 'nobody-has-this'].map((name) => exchange(api, token, name)))
    for (const { status, body } of answers) assert.deepEqual([status, body.reason], [403, 'issuer'])
    assert.equal(
      answers[0]?.body.detail?.replace('other', ''),
      answers[1]?.body.detail?.replace('nobody-has-this', ''),
    )
    assert.equal((await exchange(api, token)).status, 201, 'the token was not used up')
  })

  test('ends with its project and its account', async (api) => {
    const { owner, id } = await setTheScene(api)
    const token = () => peer.newToken({ audience, claims })
    const suspend = { json: { reason: 'unpaid' } }
    await api.send(`PUT /v1/operator/accounts/${id}/suspension`, api.operator, suspend)
    assert.equal((await exchange(api, await token())).body.reason, 'issuer')
    await api.send(`DELETE /v1/operator/accounts/${id}/suspension`, api.operator)
    assert.equal((await exchange(api, await token())).status, 201)
    assert.equal((await api.send('DELETE /v1/projects/website', owner)).status, 204)
    assert.equal((await exchange(api, await token())).body.reason, 'issuer')
    const list = await api.send<Page<TrustedPublisher>>('GET /v1/trusted-publishers', owner)
    assert.deepEqual(list.body.items, [])
  })

  test('of an issuer that cannot be asked is a failure of its own', async (api) => {
    const { owner } = await setTheScene(api)
    const gone = 'http://127.0.0.1:1'
    await trust(api, owner, { issuer: gone, claims, project: 'website' })
    const [header, payload, signature] = (await peer.newToken({ audience, claims })).split('.')
    const claimsOf = JSON.parse(Buffer.from(payload ?? '', 'base64url').toString()) as object
    const forged = Buffer.from(JSON.stringify({ ...claimsOf, iss: gone })).toString('base64url')
    const failed = await exchange(api, `${header}.${forged}.${signature}`)
    assert.deepEqual([failed.status, failed.body.code], [502, 'issuer_unavailable'])
    const [event] = await events(api, owner)
    assert.deepEqual(event?.data.reason, 'issuer_unavailable')
  })

  test('does not let strangers fill the activity', async (api) => {
    const { owner } = await setTheScene(api)
    for (let n = 0; n < 50; n++) assert.equal((await exchange(api, `junk ${n}`)).status, 403)
    assert.equal((await events(api, owner)).filter(({ type }) => type === 'publisher.refused').length, 30)
  })

  test('refuses a token that is too long before it is read', async (api) => {
    const { owner } = await setTheScene(api)
    const [header = '', , signature = ''] = (await peer.newToken({ audience, claims })).split('.')
    const withClaims = (count: number) => {
      const many = Object.fromEntries(Array.from({ length: count }, (_, n) => [`claim-${n}`, 'x']))
      const payload = { iss: peer.issuer, aud: audience, ...claims, ...many }
      return `${header}.${Buffer.from(JSON.stringify(payload)).toString('base64url')}.${signature}`
    }
    for (const [token, status, code] of [
      [withClaims(1_000), 422, 'invalid_input'],
      ['x'.repeat(16 * 1024 + 1), 422, 'invalid_input'],
      [withClaims(100_000), 413, 'body_too_large'],
      ['.'.repeat(3_000_000), 413, 'body_too_large'],
    ] as const) {
      const refused = await exchange(api, token)
      assert.deepEqual([refused.status, refused.body.code], [status, code], refused.text.slice(0, 500))
      assert.ok(refused.text.length < 2_000)
    }
    assert.ok(!(await events(api, owner)).some(({ type }) => type === 'publisher.refused'))
    // The longest token that is read, almost only claims.
    const longest = withClaims(700)
    assert.ok(longest.length < 16 * 1024 && longest.length > 14 * 1024, String(longest.length))
    assert.equal((await exchange(api, longest)).body.reason, 'signature')
  })

  test('is counted by address, like other calls without a key', async (api) => {
    const answers = []
    for (let n = 0; n < 61; n++) answers.push((await exchange(api, 'junk')).status)
    assert.equal(answers.filter((status) => status === 403).length, 60)
    assert.equal(answers.at(-1), 429)
  })

  test('needs an issuer and claims that identify a pipeline', async (api) => {
    const { owner } = await setTheScene(api)
    const github = 'https://token.actions.githubusercontent.com'
    const wrong: [string, object, object][] = [
      ['issuer', { issuer: 'http://issuer.example' }, claims],
      ['issuer', { issuer: 'https://10.0.0.1' }, claims],
      ['issuer', { issuer: 'https://user:pw@issuer.example' }, claims],
      ['issuer', { issuer: 'https://issuer.example?a=b' }, claims],
      ['issuer', { issuer: 'https://Issuer.example' }, claims],
      ['issuer', { issuer: 'issuer.example' }, claims],
      ['claims', { issuer: github }, {}],
      ['claims', { issuer: github }, { ref: 'refs/heads/main' }],
      ['claims', { issuer: github }, { actor: 'octocat' }],
      ['claims', { issuer: 'https://issuer.example' }, { environment: 'production' }],
      ['claims', { issuer: 'https://issuer.example' }, { aud: 'https://masthead.example', sub: 'x' }],
      ['claims.repository', { issuer: github }, { repository: '' }],
      ['claims.repository', { issuer: github }, { repository: ['acme/website'] }],
      [
        'claims',
        { issuer: github },
        Object.fromEntries(Array.from({ length: 11 }, (_, n) => [`c${n}`, 'x'])),
      ],
    ]
    for (const [path, changed, claims] of wrong) {
      const json = { project: 'website', ...changed, claims }
      const refused = await api.send<ProblemDocument>('POST /v1/trusted-publishers', owner, { json })
      assert.equal(refused.status, 422, `${JSON.stringify(json)}: ${refused.text}`)
      assert.equal(refused.body.errors?.[0]?.path, path)
    }
    const unknown = await trust(api, owner, { issuer: github, claims, project: 'nobody' })
    assert.equal(unknown.status, 404)
  })

  test('is added only by those who can deploy, administer and stay', async (api) => {
    const { id, owner } = await setTheScene(api)
    const json = { issuer: peer.issuer, claims, project: 'website' }
    const developer = await api.newPerson(id, 'developer')
    const admin = await api.newKey(id, ['admin'])
    const brief = await api.send<{ secret: string }>('POST /v1/keys', owner, {
      json: { name: 'Brief', scopes: ['read', 'deploy', 'admin'], expiresAt: isoTime(api.clock.at + hour) },
    })
    for (const caller of [developer.caller, admin.caller, api.byKey(brief.body.secret)]) {
      assert.equal((await trust(api, caller, json)).status, 403)
    }
    assert.equal((await trust(api, nobody, json)).status, 401)
  })

  test('is one of fifty at most', async (api) => {
    const { owner } = await setTheScene(api)
    const json = { issuer: peer.issuer, claims, project: 'website' }
    for (let n = 1; n < 50; n++) assert.equal((await trust(api, owner, json)).status, 201)
    const refused = await trust(api, owner, json)
    assert.deepEqual([refused.status, refused.body.code], [403, 'trusted_publisher_limit_reached'])
  })
})
