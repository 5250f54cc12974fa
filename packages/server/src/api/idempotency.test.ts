import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { gunzipSync, gzipSync } from 'node:zlib'
import type { CreatedDeployment } from '@masthead/contract/schemas/deployment.ts'
import type { Page } from '@masthead/contract/schemas/fields.ts'
import type { CreatedKey } from '@masthead/contract/schemas/key.ts'
import type { Scope } from '@masthead/contract/scopes.ts'
import { tarGz } from '../deployments/archive/tar.test-kit.ts'
import { day, hour, minute } from '../kernel/clock.ts'
import { type ApiUnderTest, type Caller, onEachApi } from './api.test-kit.ts'
import { forgetInterruptedRequests, forgetOldRequests } from './idempotency.ts'
import {
  deleteRunning,
  findRequest,
  finishRequest,
  startRequest,
  takeOverRequest,
} from './idempotency-store.ts'

async function admin(api: ApiUnderTest): Promise<Caller> {
  const { id } = await api.newAccount()
  return (await api.newKey(id, ['read', 'deploy', 'domains', 'admin'])).caller
}

const createKey = (api: ApiUnderTest, as: Caller, key: string, json: object = { name: 'CI' }) =>
  api.send<CreatedKey & { code?: string }>('POST /v1/keys', as, { json, headers: { 'Idempotency-Key': key } })

async function countKeys(api: ApiUnderTest, as: Caller, name: string): Promise<number> {
  const { body } = await api.send<Page<{ name: string }>>('GET /v1/keys?limit=100', as)
  return body.items.filter((key) => key.name === name).length
}

/** Leaves the rows as if the process had died during the first request. */
async function interrupt(api: ApiUnderTest): Promise<void> {
  await api.context.database.write((tx) => tx.updateTable('idempotency').set({ answer: null }).execute())
}

onEachApi('a request with an Idempotency-Key', (test) => {
  test('runs once, and a repeat gets the same response', async (api) => {
    const caller = await admin(api)
    const first = await createKey(api, caller, 'one')
    const again = await createKey(api, caller, 'one')
    assert.equal(first.headers.get('idempotent-replayed'), null)
    assert.equal(again.headers.get('idempotent-replayed'), 'true')
    assert.equal(again.status, 201)
    assert.deepEqual(again.body, first.body)
    assert.equal(await countKeys(api, caller, 'CI'), 1)
  })

  test('is rejected when repeated with another body', async (api) => {
    const caller = await admin(api)
    await createKey(api, caller, 'one')
    const other = await createKey(api, caller, 'one', { name: 'Other' })
    assert.equal(other.status, 422)
    assert.equal(other.body.code, 'idempotency_mismatch')
    const elsewhere = await api.send('POST /v1/projects', caller, {
      json: { slug: 'a' },
      headers: { 'Idempotency-Key': 'one' },
    })
    assert.equal(elsewhere.body.code, 'idempotency_mismatch')
  })

  test('runs once when sent many times at once', async (api) => {
    const caller = await admin(api)
    const answers = await Promise.all(Array.from({ length: 8 }, () => createKey(api, caller, 'one')))
    const created = answers.filter(({ status }) => status === 201)
    assert.ok(created.length >= 1)
    assert.equal(new Set(created.map(({ body }) => body.secret)).size, 1)
    for (const { status, body, headers } of answers) {
      if (status === 201) continue
      assert.equal(status, 409)
      assert.equal(body.code, 'idempotency_conflict')
      assert.equal(headers.get('retry-after'), '1')
    }
    assert.equal(await countKeys(api, caller, 'CI'), 1)
  })

  test('that is still running gets a 409 with Retry-After', async (api) => {
    const caller = await admin(api)
    await createKey(api, caller, 'one')
    await interrupt(api)
    const early = await createKey(api, caller, 'one')
    assert.equal(early.status, 409)
    assert.equal(early.headers.get('retry-after'), '1')
  })

  test('that died with its process runs again after two minutes', async (api) => {
    const caller = await admin(api)
    await createKey(api, caller, 'one')
    await interrupt(api)
    api.clock.at += 2 * minute + 1
    const repeated = await createKey(api, caller, 'one')
    assert.equal(repeated.status, 201)
    assert.equal(repeated.headers.get('idempotent-replayed'), null)
  })

  test('that died with its process runs again as soon as the process has restarted', async (api) => {
    const caller = await admin(api)
    const finished = await createKey(api, caller, 'finished')
    await api.context.database.write((tx) =>
      startRequest(tx, { owner: 'somebody', key: 'running', fingerprint: '', started_at: api.clock.at }),
    )
    await forgetInterruptedRequests(api.context)
    const rows = await api.context.database.read.selectFrom('idempotency').select('key').execute()
    assert.deepEqual(
      rows.map(({ key }) => key),
      ['finished'],
    )
    assert.deepEqual((await createKey(api, caller, 'finished')).body, finished.body)
  })

  test('that failed can be retried', async (api) => {
    const caller = await admin(api)
    const json = { slug: 'site' }
    const create = (headers = {}) => api.send('POST /v1/projects', caller, { json, headers })
    await create()
    assert.equal((await create({ 'Idempotency-Key': 'one' })).status, 409)
    await api.send('DELETE /v1/projects/site', caller)
    assert.equal((await create({ 'Idempotency-Key': 'one' })).status, 201)
  })

  test('leaves no secret in the database', async (api) => {
    const caller = await admin(api)
    const { secret } = (await createKey(api, caller, 'one')).body
    const rows = await api.context.database.read.selectFrom('idempotency').selectAll().execute()
    assert.equal(rows.length, 1)
    const stored = JSON.stringify(rows) + Buffer.from(rows[0]?.answer ?? '', 'base64').toString('latin1')
    assert.ok(!stored.includes(secret))
    assert.ok(!stored.includes(String(caller.Authorization).slice('Bearer '.length)))
  })

  test('does not collide with the same key of another caller', async (api) => {
    const [one, two] = [await admin(api), await admin(api)]
    const first = await createKey(api, one, 'one')
    const second = await createKey(api, two, 'one')
    assert.equal(second.status, 201)
    assert.notEqual(second.body.id, first.body.id)
  })

  test('whose response has no body is replayed too', async (api) => {
    const { id } = await api.newAccount()
    const { caller } = await api.newPerson(id, 'owner')
    const login = await api.send<{ code: string }>('POST /v1/logins', {}, { json: { client: 'cli' } })
    const headers = { 'Idempotency-Key': 'one' }
    const approve = () => api.send(`POST /v1/logins/${login.body.code}/approve`, caller, { headers })
    assert.equal((await approve()).status, 204)
    const again = await approve()
    assert.equal(again.status, 204)
    assert.equal(again.headers.get('idempotent-replayed'), 'true')
  })

  test('is rejected when repeated at another address without a body', async (api) => {
    const { id } = await api.newAccount()
    const { caller } = await api.newPerson(id, 'owner')
    const headers = { 'Idempotency-Key': 'one' }
    const approve = async () => {
      const login = await api.send<{ code: string }>('POST /v1/logins', {}, { json: { client: 'cli' } })
      return api.send<{ code: string }>(`POST /v1/logins/${login.body.code}/approve`, caller, { headers })
    }
    assert.equal((await approve()).status, 204)
    const other = await approve()
    assert.deepEqual([other.status, other.body.code], [422, 'idempotency_mismatch'])
  })

  test('and a large answer is forgotten after twenty others of the account, so that they fill no disk', async (api) => {
    const { id } = await api.newAccount()
    const scopes: Scope[] = ['read', 'deploy', 'admin']
    const callers = [(await api.newKey(id, scopes)).caller, (await api.newKey(id, scopes)).caller]
    await api.send('POST /v1/projects', callers[0] ?? {}, { json: { slug: 'site' } })
    const announce = (n: number) => {
      const digests = Array.from({ length: 1_000 }, (_, file) => hash('sha256', `${n} ${file}`))
      const files = Object.fromEntries(digests.map((sha256, file) => [`/${file}`, { sha256, size: 1 }]))
      return api.send<CreatedDeployment>('POST /v1/projects/site/deployments', callers[n % 2] ?? {}, {
        json: { files },
        headers: { 'Idempotency-Key': `announce-${n}` },
      })
    }
    const first = await announce(0)
    let latest = first
    for (let n = 1; n <= 20; n++) latest = await announce(n)
    assert.equal(latest.status, 201, latest.text)
    const kept = await api.context.database.read.selectFrom('idempotency').select('answer').execute()
    assert.equal(kept.filter(({ answer }) => (answer?.length ?? 0) > 64 * 1024).length, 20)
    assert.equal((await announce(20)).body.id, latest.body.id)
    const again = await announce(0)
    assert.equal(again.status, 201)
    assert.notEqual(again.body.id, first.body.id)
  })

  test('is forgotten after a day', async (api) => {
    const caller = await admin(api)
    await createKey(api, caller, 'one')
    api.clock.at += day
    await forgetOldRequests(api.context)
    assert.equal((await createKey(api, caller, 'one')).headers.get('idempotent-replayed'), 'true')
    api.clock.at += 1
    await forgetOldRequests(api.context)
    assert.equal((await createKey(api, caller, 'one')).headers.get('idempotent-replayed'), null)
  })

  test('is forgotten in batches, the oldest first', async (api) => {
    const { database } = api.context
    const at = api.clock.at
    await database.write(async (tx) => {
      for (let n = 0; n < 450; n++) {
        await startRequest(tx, { owner: 'a', key: `${n}`, fingerprint: '', started_at: at - n })
      }
      await startRequest(tx, { owner: 'b', key: '449', fingerprint: '', started_at: at + day })
    })
    api.clock.at += day + 1
    const left = async () => {
      const rows = await database.read.selectFrom('idempotency').select(['owner', 'key']).execute()
      return rows.filter(({ owner }) => owner === 'a').map(({ key }) => Number(key))
    }
    assert.equal(await forgetOldRequests(api.context), true)
    assert.deepEqual([(await left()).length, Math.max(...(await left()))], [250, 249])
    assert.equal(await forgetOldRequests(api.context), true)
    assert.equal(await forgetOldRequests(api.context), false)
    assert.deepEqual(await left(), [])
    assert.ok(await findRequest(database.read, { owner: 'b', key: '449' }))
  })

  test('is rejected if the key is malformed', async (api) => {
    const caller = await admin(api)
    for (const key of ['', 'two words', 'x'.repeat(201)]) {
      const refused = await createKey(api, caller, key)
      assert.equal(refused.status, 400, key)
      assert.equal(refused.body.code, 'invalid_request')
    }
    assert.equal(await countKeys(api, caller, 'CI'), 0)
  })

  const deploy = (api: ApiUnderTest, as: Caller, archive: Buffer, key = 'upload') =>
    api.send<{ id: string; code?: string }>('POST /v1/projects/site/deployments', as, {
      headers: { 'Content-Type': 'application/gzip', 'Idempotency-Key': key },
      body: new Uint8Array(archive),
    })
  /** Uncompressed, so that pages of equal length give archives of equal length. */
  const archive = (page: string) =>
    gzipSync(gunzipSync(tarGz({ name: 'index.html', content: page })), { level: 0 })

  test('that uploads an archive is replayed for the same bytes only, not for others of the same length', async (api) => {
    const caller = await admin(api)
    await api.send('POST /v1/projects', caller, { json: { slug: 'site' } })
    const [one, two] = [archive('<h1>one</h1>'), archive('<h1>two</h1>')]
    assert.equal(one.length, two.length)
    const first = await deploy(api, caller, one)
    assert.equal(first.status, 201, first.text)
    const again = await deploy(api, caller, one)
    assert.deepEqual([again.headers.get('idempotent-replayed'), again.body], ['true', first.body])
    for (const other of [two, archive('<h1>longer</h1>'), one.subarray(0, -1)]) {
      const refused = await deploy(api, caller, other)
      assert.deepEqual([refused.status, refused.body.code], [422, 'idempotency_mismatch'])
    }
    assert.equal((await deploy(api, caller, two, 'another')).status, 201)
    // A rejected upload leaves the connection usable for other requests.
    assert.equal((await api.send('GET /v1/projects/site', caller)).status, 200)
  })

  test('that uploads an archive may take an hour before a repeat runs again', async (api) => {
    const caller = await admin(api)
    await api.send('POST /v1/projects', caller, { json: { slug: 'site' } })
    assert.equal((await deploy(api, caller, archive('one'))).status, 201)
    await interrupt(api)
    api.clock.at += hour
    const early = await deploy(api, caller, archive('one'))
    assert.deepEqual([early.status, early.body.code], [409, 'idempotency_conflict'])
    api.clock.at += 1
    const repeated = await deploy(api, caller, archive('one'))
    assert.deepEqual([repeated.status, repeated.headers.get('idempotent-replayed')], [201, null])
  })

  test('tries again if the row it found is gone a moment later', async (api) => {
    const caller = await admin(api)
    // Each one fails and deletes its row while others are looking for it.
    const headers = { 'Idempotency-Key': 'one' }
    await api.send('POST /v1/projects', await admin(api), { json: { slug: 'taken' } })
    const answers = await Promise.all(
      Array.from({ length: 12 }, () =>
        api.send('POST /v1/projects', caller, { json: { slug: 'taken' }, headers }),
      ),
    )
    for (const { status, body } of answers) {
      assert.equal(status, 409)
      assert.match(body.code, /^(slug_taken|idempotency_conflict)$/)
    }
    const rows = await api.context.database.read.selectFrom('idempotency').selectAll().execute()
    assert.deepEqual(rows, [])
  })

  test('that was taken over does not store its response for the one that took over', async (api) => {
    const { database } = api.context
    const id = { owner: 'o', key: 'k' }
    await database.write((tx) => startRequest(tx, { ...id, fingerprint: 'f', started_at: 1 }))
    await database.write((tx) => takeOverRequest(tx, id, 1, 2))
    await database.write((tx) => deleteRunning(tx, { ...id, started_at: 1 }))
    await database.write((tx) => finishRequest(tx, { ...id, started_at: 1 }, 'f', 'late'))
    assert.equal((await findRequest(database.read, id))?.answer, null)
    await database.write((tx) => finishRequest(tx, { ...id, started_at: 2 }, 'f', 'right'))
    assert.equal((await findRequest(database.read, id))?.answer, 'right')
  })
})
