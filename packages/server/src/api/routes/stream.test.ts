import assert from 'node:assert/strict'
import { describe, test as plainTest } from 'node:test'
import type { ProblemDocument } from '@masthead/contract/schemas/problem-document.ts'
import { listenForChanges as listen } from '@masthead/testing/clients/change-listener.ts'
import { tarGz } from '@masthead/testing/clients/tar-gz.ts'
import { skipWithout } from '@masthead/testing/peers/peers.ts'
import { postgresSchema } from '@masthead/testing/peers/postgres.ts'
import { until } from '@masthead/testing/until.ts'
import { openDatabase } from '../../database/database.ts'
import { day } from '../../kernel/clock.ts'
import { insertMember } from '../../people/store.ts'
import { type ApiUnderTest, type Caller, onEachApi, startApi } from '../api.test-kit.ts'

const quick = { streamLimits: { heartbeatEvery: 40, pace: 20 } }

const open = (api: ApiUnderTest, caller: Caller) => listen(api.origin, caller)

async function refusal(api: ApiUnderTest, caller: Caller): Promise<ProblemDocument> {
  return (await api.send('GET /v1/stream', caller)).body
}

onEachApi('a stream of changes', (test) => {
  test('is neither cached nor buffered, starts with hello, and counts as one request', async (api) => {
    const { id } = await api.newAccount()
    const key = await api.newKey(id, ['read'])
    await using stream = await open(api, key.caller)
    const { status, headers } = stream
    assert.equal(status, 200)
    assert.equal(headers.get('content-type'), 'text/event-stream')
    assert.equal(headers.get('cache-control'), 'no-store')
    assert.equal(headers.get('x-accel-buffering'), 'no')
    assert.equal(headers.get('content-length'), null)
    await stream.toldTimes(1)
    assert.deepEqual(stream.told, ['hello'])
    const left = Number(headers.get('x-ratelimit-remaining'))
    const next = await api.send('GET /v1/whoami', key.caller)
    assert.equal(next.headers.get('x-ratelimit-remaining'), String(left - 1))
  })

  test('notifies everybody in the account of changes, and nobody else', async (api) => {
    const [own, other] = [await api.newAccount(), await api.newAccount('Other')]
    const owner = await api.newPerson(own.id, 'owner')
    const key = await api.newKey(own.id, ['read'])
    const stranger = await api.newPerson(other.id, 'owner')
    await using bySession = await open(api, owner.caller)
    await using byKey = await open(api, key.caller)
    await using outside = await open(api, stranger.caller)
    for (const stream of [bySession, byKey, outside]) await stream.toldTimes(1)
    await api.send('POST /v1/projects', owner.caller, { json: { slug: 'site' } })
    for (const stream of [bySession, byKey]) await stream.toldTimes(2)
    assert.deepEqual(byKey.told, ['hello', 'changed'])
    // Everything that would be sent has been sent by then.
    await api.send('POST /v1/projects', stranger.caller, { json: { slug: 'their-site' } })
    await outside.toldTimes(2)
    assert.deepEqual(outside.told, ['hello', 'changed'])
    assert.deepEqual(byKey.told, ['hello', 'changed'])
  })

  test(
    'also reports changes without an event: an uploaded deployment, a checked domain',
    async (api) => {
      const { id } = await api.newAccount('Acme', 'pro')
      const { caller } = await api.newKey(id, ['read', 'deploy', 'domains'])
      await api.send('POST /v1/projects', caller, { json: { slug: 'site' } })
      await using stream = await open(api, caller)
      const steps = [
        () =>
          api.send('POST /v1/projects/site/deployments', caller, {
            json: { files: { '/index.html': { sha256: 'a'.repeat(64), size: 1 } } },
          }),
        () => publish(api, caller),
        () => api.send('POST /v1/projects/site/domains', caller, { json: { hostname: 'www.acme.com' } }),
        () => api.send('POST /v1/projects/site/domains/www.acme.com/verify', caller),
      ]
      for (const step of steps) {
        await stream.heartbeats(2)
        const before = stream.told.length
        const { status, text } = await step()
        assert.ok(status < 300, text)
        await stream.toldTimes(before + 1)
      }
    },
    quick,
  )

  test('does not report changes that were rolled back', async (api) => {
    const { id } = await api.newAccount()
    const owner = await api.newPerson(id, 'owner')
    await using stream = await open(api, owner.caller)
    await stream.toldTimes(1)
    const refused = await api.send('DELETE /v1/members/usr_06d8f2k4m9q1s7x3b5n0', owner.caller)
    assert.equal(refused.status, 404)
    await api.send('PATCH /v1/account', owner.caller, { json: { name: 'New' } })
    await stream.toldTimes(2)
    assert.deepEqual(stream.told, ['hello', 'changed'])
  })

  test(
    'ends when its key is revoked, and continues for others',
    async (api) => {
      const { id } = await api.newAccount()
      const owner = await api.newPerson(id, 'owner')
      const key = await api.newKey(id, ['read'])
      await using byKey = await open(api, key.caller)
      await using bySession = await open(api, owner.caller)
      await byKey.heartbeats(2)
      assert.equal((await api.send(`DELETE /v1/keys/${key.id}`, owner.caller)).status, 204)
      await byKey.ended
      await bySession.heartbeats(3)
      assert.equal((await refusal(api, key.caller)).code, 'unauthenticated')
    },
    quick,
  )

  test(
    'ends when its person signs out or leaves the account, and continues when they open another',
    async (api) => {
      const [own, other] = [await api.newAccount(), await api.newAccount('Other')]
      const owner = await api.newPerson(own.id, 'owner')
      const member = await api.newPerson(own.id, 'viewer')
      const guest = await api.newPerson(own.id, 'viewer')
      await using looksElsewhere = await open(api, owner.caller)
      await using signsOut = await open(api, guest.caller)
      await using isRemoved = await open(api, member.caller)
      assert.equal((await api.send('DELETE /v1/session', guest.caller)).status, 204)
      await signsOut.ended
      assert.equal((await api.send(`DELETE /v1/members/${member.id}`, owner.caller)).status, 200)
      await isRemoved.ended
      await looksElsewhere.heartbeats(3)
      const joined = { account_id: other.id, person_id: owner.id, role: 'viewer', joined_at: 1 } as const
      await api.context.database.write((tx) => insertMember(tx, joined))
      const json = { accountId: other.id }
      assert.equal((await api.send('PATCH /v1/session', owner.caller, { json })).status, 200)
      await looksElsewhere.heartbeats(3)
    },
    quick,
  )

  test(
    'ends when its session expires, and does not keep it alive',
    async (api) => {
      const { id } = await api.newAccount()
      const owner = await api.newPerson(id, 'owner')
      await using stream = await open(api, owner.caller)
      api.clock.at += 29 * day
      await stream.heartbeats(3)
      api.clock.at += 2 * day
      await stream.ended
    },
    quick,
  )

  test(
    'is refused beyond the limits per caller and per account, until one is closed',
    async (api) => {
      const { id } = await api.newAccount()
      const [one, other] = [await api.newKey(id, ['read']), await api.newKey(id, ['read'])]
      await using first = await open(api, one.caller)
      await using _second = await open(api, one.caller)
      const refused = await api.send('GET /v1/stream', one.caller)
      assert.equal(refused.status, 429)
      assert.equal(refused.body.code, 'too_many_streams')
      assert.match(refused.headers.get('retry-after') ?? '', /^[1-9]\d*$/)
      await using _third = await open(api, other.caller)
      assert.match((await refusal(api, other.caller)).detail, /account already has 3/)
      await first.leave()
      await until(async () => (await statusOfStream(api, one.caller)) === 200)
    },
    { streamLimits: { perCaller: 2, perAccount: 3 } },
  )

  test('needs the read scope, and has no HEAD', async (api) => {
    const { id } = await api.newAccount()
    const deployer = await api.newKey(id, ['deploy'])
    assert.equal((await refusal(api, deployer.caller)).code, 'forbidden')
    assert.equal((await refusal(api, {})).code, 'unauthenticated')
    assert.equal((await refusal(api, api.operator)).code, 'forbidden')
    const reader = await api.newKey(id, ['read'])
    const head = await fetch(`${api.origin}/v1/stream`, { method: 'HEAD', headers: reader.caller })
    assert.equal(head.status, 405)
  })
})

/** Opens a stream and closes it again. */
async function statusOfStream(api: ApiUnderTest, caller: Caller): Promise<number> {
  await using stream = await open(api, caller)
  return stream.status
}

async function publish(api: ApiUnderTest, caller: Caller) {
  return api.send('POST /v1/projects/site/deployments', caller, {
    headers: { 'Content-Type': 'application/gzip' },
    body: new Uint8Array(tarGz({ 'index.html': 'hello' })),
  })
}

describe('streams of two nodes over PostgreSQL', { skip: skipWithout('postgresql') }, () => {
  plainTest('tell of each other’s changes', async () => {
    await using schema = await postgresSchema()
    await using stack = new AsyncDisposableStack()
    const node = async () => {
      const database = await openDatabase({ dialect: 'postgres', url: schema.url }, { warn: () => {} })
      stack.defer(() => database.close())
      return stack.use(await startApi(database))
    }
    const [one, two] = [await node(), await node()]
    const { id } = await one.newAccount()
    const { token, caller } = await one.newPerson(id, 'owner')
    await using here = await listen(one.origin, caller)
    await using there = await listen(two.origin, two.bySession(token))
    for (const stream of [here, there]) await stream.toldTimes(1)
    await one.send('PATCH /v1/account', caller, { json: { name: 'By one' } })
    for (const stream of [here, there]) await stream.toldTimes(2)
    await two.send('PATCH /v1/account', two.bySession(token), { json: { name: 'By two' } })
    for (const stream of [here, there]) await stream.toldTimes(3)
  })
})
