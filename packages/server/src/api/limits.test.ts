import assert from 'node:assert/strict'
import type { AccountEvent } from '@masthead/contract/schemas/account.ts'
import type { Page } from '@masthead/contract/schemas/fields.ts'
import type { Usage } from '@masthead/contract/schemas/usage.ts'
import { day, minute, second } from '../kernel/clock.ts'
import {
  type Answer,
  type ApiUnderTest,
  type Caller,
  nobody,
  onEachApi,
  sessionToken,
} from './api.test-kit.ts'

const whoami = (api: ApiUnderTest, as: Caller) => api.send('GET /v1/whoami', as)

async function times<T>(count: number, work: () => Promise<T>): Promise<T[]> {
  const results: T[] = []
  for (let done = 0; done < count; done += 50) {
    results.push(...(await Promise.all(Array.from({ length: Math.min(50, count - done) }, work))))
  }
  return results
}

const quota = ({ headers }: Answer<unknown>) => ({
  limit: headers.get('x-ratelimit-limit'),
  remaining: headers.get('x-ratelimit-remaining'),
})

async function keyOf(api: ApiUnderTest): Promise<{ accountId: string; keyId: string; caller: Caller }> {
  const { id } = await api.newAccount()
  const { caller, id: keyId } = await api.newKey(id, ['read', 'deploy', 'domains', 'admin'])
  return { accountId: id, keyId, caller }
}

onEachApi('limits', (test) => {
  test('of concurrent requests exactly the limit is admitted, whatever they are for', async (api) => {
    const { caller } = await keyOf(api)
    const answers = await Promise.all(
      Array.from({ length: 90 }, (_, index) =>
        api.send(
          index % 3 === 0 ? 'GET /v1/projects' : index % 3 === 1 ? 'GET /v1/nope' : 'GET /v1/projects/x',
          caller,
        ),
      ),
    )
    assert.equal(answers.filter(({ status }) => status === 429).length, 30)
  })

  test('every response has limit headers: success, 401, 404, 405, 422 and 429', async (api) => {
    const { caller } = await keyOf(api)
    const wrong = api.byKey('mh_wrong')
    const asked: [string, Caller, number][] = [
      ['GET /v1/projects', caller, 200],
      ['GET /v1/nope', caller, 404],
      ['PUT /v1/projects', caller, 405],
      ['GET /v1/projects?limit=0', caller, 422],
      ['GET /v1/projects', wrong, 401],
      ['GET /v1/projects', nobody, 401],
      ['GET /v1/%zz', nobody, 400],
    ]
    for (const [route, as, status] of asked) {
      const answer = await api.send(route, as)
      assert.equal(answer.status, status, route)
      for (const name of ['limit', 'remaining', 'reset']) {
        assert.match(answer.headers.get(`x-ratelimit-${name}`) ?? '', /^\d+$/, `${route} ${name}`)
      }
      assert.match(answer.headers.get('ratelimit') ?? '', /^"minute";r=\d+;t=\d+/)
      assert.match(answer.headers.get('ratelimit-policy') ?? '', /^"minute";q=60;w=60/)
      assert.equal(answer.headers.get('access-control-allow-origin'), '*')
      assert.match(answer.headers.get('access-control-expose-headers') ?? '', /X-RateLimit-Reset/)
    }
  })

  test('a used-up minute gets 429 with a wait that is never too short, and ends', async (api) => {
    const { caller } = await keyOf(api)
    await times(60, () => whoami(api, caller))
    const { status, headers, body } = await whoami(api, caller)
    assert.equal(status, 429)
    assert.equal(body.code, 'rate_limited')
    assert.match(body.type, /#quota-exceeded$/)
    assert.deepEqual((body as Record<string, unknown>)['violated-policies'], ['minute'])
    assert.equal(headers.get('x-ratelimit-remaining'), '0')
    assert.equal(headers.get('cache-control'), 'no-store')
    const wait = Number(headers.get('retry-after'))
    assert.ok(wait >= 60 && wait <= 63, String(wait))
    assert.equal(Number(headers.get('x-ratelimit-reset')), (api.clock.at + minute) / second)
    api.clock.at += minute
    assert.equal((await whoami(api, caller)).status, 200)
  })

  test('all keys of an account share one quota, and a rejected request is not counted', async (api) => {
    const { accountId, caller } = await keyOf(api)
    const other = await api.newKey(accountId as `acc_${string}`, ['read'])
    await times(59, () => whoami(api, caller))
    assert.deepEqual(quota(await whoami(api, other.caller)), { limit: '60', remaining: '0' })
    await times(20, () => whoami(api, caller))
    api.clock.at += minute
    const { body } = await api.send<Usage>('GET /v1/account/usage', caller)
    assert.equal(body.day.used, 61)
    assert.deepEqual([body.minute.used, body.minute.remaining], [1, 59])
    const sent = Object.fromEntries(body.keys.map(({ keyId, requests }) => [keyId, requests]))
    assert.deepEqual(Object.values(sent).sort(), [1, 60])
    assert.equal(sent[other.id], 1)
    const [before, now] = body.history.minutes.slice(-2)
    assert.deepEqual([before?.requests, before?.rejected], [60, 20])
    assert.deepEqual([now?.requests, now?.rejected], [1, 0])
    assert.equal(body.history.days.at(-1)?.rejected, 20)
  })

  test('a wrong key is counted by address and never charged to an account', async (api) => {
    const { caller } = await keyOf(api)
    await times(70, () => whoami(api, api.byKey('mh_000000000000000000000000000000000000')))
    const refused = await whoami(api, api.byKey('mh_000000000000000000000000000000000000'))
    assert.deepEqual([refused.status, refused.body.code], [429, 'rate_limited'])
    assert.deepEqual(quota(await whoami(api, caller)), { limit: '60', remaining: '59' })
  })

  const asFrom = (api: ApiUnderTest, address: string) =>
    api.send('GET /v1/server', nobody, { headers: { 'x-forwarded-for': address } })

  test(
    'behind a trusted proxy callers are distinguished by the nearest address that it names',
    async (api) => {
      await times(60, () => asFrom(api, '192.0.2.1'))
      assert.equal((await asFrom(api, '192.0.2.1')).status, 429)
      assert.equal((await asFrom(api, '192.0.2.2')).status, 200)
      assert.equal((await asFrom(api, '203.0.113.9, 192.0.2.1')).status, 429)
    },
    { trustedProxies: ['127.0.0.1'] },
  )

  test(
    'an address is one caller however a proxy spells it, and anything else counts as the proxy',
    async (api) => {
      const spellings = [
        '192.0.2.1',
        '192.0.2.1:1025',
        '192.0.2.1:1026',
        '::ffff:192.0.2.1',
        '[::ffff:c000:201]:443',
        '203.0.113.9, 192.0.2.1:7',
        '192.0.2.1:8, 127.0.0.1:9',
      ]
      let n = 0
      const answers = await times(70, () => asFrom(api, spellings[n++ % spellings.length] ?? ''))
      assert.equal(answers.filter(({ status }) => status === 200).length, 60)
      const ipv6 = ['2001:db8::1', '[2001:db8::2]', '[2001:db8::3]:443', '2001:db8::4%eth0']
      const more = await times(70, () => asFrom(api, ipv6[n++ % ipv6.length] ?? ''))
      assert.equal(more.filter(({ status }) => status === 200).length, 60)
      const made = await times(70, () => asFrom(api, `nobody-${n++}, 198.51.100.${n % 250}, made-up-${n}`))
      assert.equal(made.filter(({ status }) => status === 200).length, 60)
    },
    { trustedProxies: ['127.0.0.1'] },
  )

  test('without a trusted proxy, forwarded addresses are ignored', async (api) => {
    await times(60, () => asFrom(api, '192.0.2.1'))
    assert.equal((await asFrom(api, '192.0.2.2')).status, 429)
  })

  test('preflights are not counted and list what a browser may send', async (api) => {
    const { caller } = await keyOf(api)
    const [preflight] = await times(80, () => api.send('OPTIONS /v1/projects', nobody))
    assert.equal(preflight?.status, 204)
    assert.match(preflight?.headers.get('access-control-allow-headers') ?? '', /Authorization/)
    assert.deepEqual(quota(await whoami(api, caller)), { limit: '60', remaining: '59' })
    assert.equal((await whoami(api, nobody)).status, 401)
  })

  test('a person gets 600 requests per minute and 10,000 per day, however many sessions they open', async (api) => {
    const { id } = await api.newAccount()
    const password = 'seven lamps in a row'
    const { email } = await api.newPerson(id, 'owner', { password })
    const signIn = async () => {
      const answer = await api.send('POST /v1/session', nobody, { json: { email, password } })
      return api.bySession(sessionToken(answer))
    }
    const sessions = [await signIn(), await signIn(), await signIn()]
    let n = 0
    const answers = await times(660, () => whoami(api, sessions[n++ % 3] ?? nobody))
    assert.equal(answers.filter(({ status }) => status === 200).length, 600)
    const refused = await whoami(api, await signIn())
    assert.deepEqual([refused.status, refused.body.code], [429, 'rate_limited'])
    assert.equal(refused.headers.get('ratelimit-policy'), '"minute";q=600;w=60, "day";q=10000;w=86400')
    assert.match(refused.headers.get('retry-after') ?? '', /^\d+$/)
    const { caller } = await api.newKey(id, ['read'])
    assert.deepEqual(quota(await whoami(api, caller)), { limit: '60', remaining: '59' })
  })

  test('a key that keeps hammering is banned, and an operator can lift the ban', async (api) => {
    const { keyId, caller } = await keyOf(api)
    await times(61, () => whoami(api, caller))
    api.clock.at += 3 * second
    await times(125, () => whoami(api, caller))
    const { status, headers, body } = await api.send<{ code: string; bannedUntil: string }>(
      'GET /v1/whoami',
      caller,
    )
    assert.deepEqual([status, body.code], [429, 'key_banned'])
    assert.equal(headers.get('x-ratelimit-remaining'), '0')
    const end = Date.parse(body.bannedUntil)
    assert.ok(end - api.clock.at <= 5 * minute && end - api.clock.at > 4 * minute)
    assert.equal(Number(headers.get('x-ratelimit-reset')), Math.ceil(end / second))

    api.clock.at += minute
    assert.equal((await whoami(api, caller)).body.code, 'key_banned')
    const lifted = await api.send(`DELETE /v1/operator/keys/${keyId}/ban`, api.operator)
    assert.equal(lifted.status, 204)
    assert.equal((await whoami(api, caller)).status, 200)
    const { body: events } = await api.send<Page<AccountEvent>>('GET /v1/events', caller)
    const types = events.items.map(({ type }) => type)
    assert.deepEqual(
      types.filter((type) => type.startsWith('key.') && type !== 'key.created'),
      ['key.unbanned', 'key.banned'],
    )
  })

  test('a new plan applies from the next request, and used requests stay used', async (api) => {
    const { caller } = await keyOf(api)
    await times(60, () => whoami(api, caller))
    assert.equal((await whoami(api, caller)).status, 429)
    const { id } = (await api.send<{ items: { id: string }[] }>('GET /v1/operator/accounts', api.operator))
      .body.items[0] ?? { id: '' }
    await api.send(`PUT /v1/operator/accounts/${id}/plan`, api.operator, { json: { plan: 'pro' } })
    assert.deepEqual(quota(await whoami(api, caller)), { limit: '300', remaining: '239' })
  })

  test('the account is warned at 80 % and at 100 % of its daily limit, once each', async (api) => {
    const { caller } = await keyOf(api)
    for (let minutes = 0; minutes < 18; minutes++) {
      await times(60, () => whoami(api, caller))
      api.clock.at += minute
    }
    const refused = await whoami(api, caller)
    assert.deepEqual((refused.body as Record<string, unknown>)['violated-policies'], ['day'])
    assert.equal(Number(refused.headers.get('x-ratelimit-reset')) * second, Date.UTC(2030, 0, 2))
    api.clock.at += day
    const { body } = await api.send<Page<AccountEvent>>('GET /v1/events?limit=100', caller)
    const warnings = body.items.filter(({ type }) => type === 'account.quota_warning')
    assert.deepEqual(
      warnings.map(({ data }) => data.percent),
      [100, 80],
    )
    const usage = await api.send<Usage>('GET /v1/account/usage', caller)
    assert.equal(usage.body.history.days.at(-2)?.requests, 1_000)
    assert.equal(usage.body.history.minutes.length, 120)
  })
})
