import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { MastheadProcess } from '@masthead/testing/masthead-process.ts'
import { skipWithout } from '@masthead/testing/peers/peers.ts'
import { postgresSchema } from '@masthead/testing/peers/postgres.ts'
import { startSeverableLink } from '@masthead/testing/peers/severable-link.ts'
import { until } from '@masthead/testing/until.ts'

interface NewKey {
  id: string
  secret: string
}

/** An account, whose first key makes and revokes others. */
async function createAccount(masthead: MastheadProcess) {
  const operatorKey = (await readFile(join(masthead.dataFolder, 'operator.key'), 'utf8')).trim()
  async function send<T>(route: string, as: string, body?: unknown): Promise<T> {
    const [method = '', path = ''] = route.split(' ')
    const headers = { authorization: `Bearer ${as}` }
    const response = await fetch(masthead.origin + path, {
      method,
      ...(body === undefined
        ? { headers }
        : { headers: { ...headers, 'content-type': 'application/json' }, body: JSON.stringify(body) }),
    })
    const text = await response.text()
    assert.ok(response.ok, `${route}: ${response.status} ${text}`)
    return (text === '' ? undefined : JSON.parse(text)) as T
  }
  const plan = { name: 'Acme', plan: 'business' }
  const made = await send<{ account: { id: string }; key: NewKey }>(
    'POST /v1/operator/accounts',
    operatorKey,
    plan,
  )
  const admin = made.key.secret
  const suspension = `/v1/operator/accounts/${made.account.id}/suspension`
  return {
    newKey: () => send<NewKey>('POST /v1/keys', admin, { name: 'ci', scopes: ['read'] }),
    revoke: ({ id }: NewKey) => send(`DELETE /v1/keys/${id}`, admin),
    suspend: () => send(`PUT ${suspension}`, operatorKey, { reason: 'Spam' }),
    restore: () => send(`DELETE ${suspension}`, operatorKey),
  }
}

async function statusOf({ origin }: MastheadProcess, { secret }: NewKey): Promise<number> {
  const response = await fetch(`${origin}/v1/account`, { headers: { authorization: `Bearer ${secret}` } })
  await response.text()
  return response.status
}

/** Twice, so that the node knows it. */
async function use(node: MastheadProcess, key: NewKey): Promise<void> {
  for (let n = 0; n < 2; n++) assert.equal(await statusOf(node, key), 200)
}

async function checkBothNodes(first: MastheadProcess, second: MastheadProcess): Promise<void> {
  const account = await createAccount(first)
  for (let round = 0; round < 3; round++) {
    const key = await account.newKey()
    await use(second, key)
    await use(first, key)
    await account.suspend()
    assert.equal(await statusOf(first, key), 403)
    await until(async () => (await statusOf(second, key)) === 403)
    await account.restore()
    assert.equal(await statusOf(first, key), 200)
    await until(async () => (await statusOf(second, key)) === 200)
    await account.revoke(key)
    assert.equal(await statusOf(first, key), 401)
    await until(async () => (await statusOf(second, key)) === 401)
  }
}

test('two processes on one SQLite database: what one revokes, the other refuses', {
  timeout: 300_000,
}, async () => {
  await using first = await MastheadProcess.start()
  await using second = await MastheadProcess.start({
    dataFolder: first.dataFolder,
    env: { MASTHEAD_ROLES: 'api' },
  })
  await checkBothNodes(first, second)
})

test('two nodes on PostgreSQL: what one revokes the other refuses, and a node that is cut off trusts no key', {
  skip: skipWithout('postgresql'),
  timeout: 300_000,
}, async () => {
  await using schema = await postgresSchema()
  await using link = await startSeverableLink(schema.url)
  await using first = await MastheadProcess.start({ env: { DATABASE_URL: schema.url } })
  await using second = await MastheadProcess.start({
    dataFolder: first.dataFolder,
    env: { DATABASE_URL: link.url, MASTHEAD_ROLES: 'api' },
  })
  await checkBothNodes(first, second)

  const account = await createAccount(first)
  const [revoked, kept] = [await account.newKey(), await account.newKey()]
  await use(second, revoked)
  await use(second, kept)
  await link.sever()
  await account.revoke(revoked)
  // It cannot hear of it, and therefore soon lets nobody in by what it knew.
  for (const key of [revoked, kept]) await until(async () => (await statusOf(second, key)) === 503)
  for (let n = 0; n < 20; n++) {
    for (const key of [revoked, kept]) assert.equal(await statusOf(second, key), 503)
  }
  await link.mend()
  await until(async () => (await statusOf(second, kept)) === 200)
  assert.equal(await statusOf(second, revoked), 401)
})

test('with several edge processes a revoked key is refused by all of them on the next request', {
  timeout: 300_000,
}, async () => {
  await using masthead = await MastheadProcess.start({ env: { MASTHEAD_WORKERS: '2' } })
  const account = await createAccount(masthead)
  for (let round = 0; round < 3; round++) {
    const key = await account.newKey()
    const everywhere = () => Promise.all(Array.from({ length: 16 }, () => statusOf(masthead, key)))
    assert.deepEqual(new Set(await everywhere()), new Set([200]))
    await account.revoke(key)
    assert.deepEqual(new Set(await everywhere()), new Set([401]))
  }
})
