import assert from 'node:assert/strict'
import { once } from 'node:events'
import { request } from 'node:http'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { test } from 'node:test'
import type { Deployment } from '@masthead/contract/schemas/deployment.ts'
import type { Page } from '@masthead/contract/schemas/fields.ts'
import { skipWithout } from '@masthead/testing/peers/peers.ts'
import { postgresSchema } from '@masthead/testing/peers/postgres.ts'
import { until } from '@masthead/testing/until.ts'
import { sql } from 'kysely'
import { type Database, type DatabaseOptions, openDatabase } from '../database/database.ts'
import { longRunningClient } from '../database/postgres.ts'
import { tarGz } from '../deployments/archive/tar.test-kit.ts'
import { nobody, startApi } from './api.test-kit.ts'

const silent = { warn: () => {} }
const skip = skipWithout('postgresql')

async function open(url: string, options?: DatabaseOptions): Promise<Database & AsyncDisposable> {
  const database = await openDatabase({ dialect: 'postgres', url }, silent, options)
  return { ...database, [Symbol.asyncDispose]: () => database.close() }
}

/** A proxy to the database that can be closed and opened again. */
async function road(to: URL) {
  const travellers = new Set<Socket>()
  const server = createServer((here) => {
    const there = connect(Number(to.port), to.hostname)
    for (const socket of [here, there]) {
      travellers.add(socket)
      socket.on('error', () => {})
      socket.on('close', () => {
        here.destroy()
        there.destroy()
      })
    }
    here.pipe(there).pipe(here)
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  async function close() {
    if (!server.listening) return
    server.close()
    for (const socket of travellers) socket.destroy()
    await once(server, 'close')
  }
  const url = new URL(to)
  url.port = String(port)
  return {
    url: url.href,
    close,
    open: () => once(server.listen(port, '127.0.0.1'), 'listening'),
    [Symbol.asyncDispose]: close,
  }
}

test('while PostgreSQL is down the response is 503 with Retry-After, and then everything works again', {
  skip,
}, async () => {
  await using schema = await postgresSchema()
  await using way = await road(new URL(schema.url))
  await using database = await open(way.url)
  await using api = await startApi(database)
  const { id } = await api.newAccount()
  const { caller } = await api.newKey(id, ['read', 'deploy'])
  assert.equal((await api.send('GET /readyz', nobody)).status, 200)

  await way.close()
  for (const [route, as, json] of [
    ['GET /v1/account', caller, undefined],
    ['POST /v1/projects', caller, { slug: 'site' }],
    ['POST /v1/session', nobody, { email: 'ada@example.com', password: 'x' }],
  ] as const) {
    const away = await api.send(route, as, { json })
    assert.equal(away.status, 503, away.text)
    assert.equal(away.body.code, 'unavailable')
    assert.equal(away.headers.get('retry-after'), '1')
    assert.doesNotMatch(away.text, /ECONN|127\.0\.0\.1|postgres|terminated/)
  }
  assert.equal((await api.send('GET /readyz', nobody)).status, 503)
  assert.equal((await api.send('GET /readyz/sites', nobody)).status, 200)
  assert.equal((await api.send('GET /healthz', nobody)).status, 200)

  await way.open()
  assert.equal((await api.send('GET /readyz', nobody)).status, 200)
  assert.equal((await api.send('POST /v1/projects', caller, { json: { slug: 'site' } })).status, 201)
})

test('while PostgreSQL is down keys and sessions get 503 with limit headers, however often, and are not charged', {
  skip,
}, async () => {
  await using schema = await postgresSchema()
  await using way = await road(new URL(schema.url))
  await using database = await open(way.url)
  await using api = await startApi(database)
  const { id } = await api.newAccount()
  const { caller } = await api.newKey(id, ['read'])
  const person = await api.newPerson(id, 'viewer')
  await way.close()
  for (let n = 0; n < 70; n++) {
    const away = await api.send('GET /v1/account', n % 2 === 0 ? caller : person.caller)
    assert.equal(away.status, 503, away.text)
    assert.equal(away.headers.get('retry-after'), '1')
    assert.equal(away.headers.get('x-ratelimit-remaining'), '60')
    assert.match(away.headers.get('ratelimit') ?? '', /^"minute";r=60;t=\d+$/)
  }
  const nobodys = await api.send('GET /v1/account', nobody)
  assert.deepEqual([nobodys.status, nobodys.headers.get('x-ratelimit-remaining')], [401, '59'])
  await way.open()
  const back = await api.send('GET /v1/account', caller)
  assert.deepEqual([back.status, back.headers.get('x-ratelimit-remaining')], [200, '59'])
})

test('an archive that PostgreSQL went away from leaves nothing, and can be sent again at once with its Idempotency-Key', {
  skip,
}, async () => {
  await using schema = await postgresSchema()
  await using way = await road(new URL(schema.url))
  await using database = await open(way.url)
  await using api = await startApi(database)
  const { id } = await api.newAccount('Acme', 'business')
  const { caller } = await api.newKey(id, ['read', 'deploy'])
  const deployments = '/v1/projects/site/deployments'
  await api.send('POST /v1/projects', caller, { json: { slug: 'site' } })
  const headers = { 'Content-Type': 'application/gzip', 'Idempotency-Key': 'one' }
  const archive = tarGz({ name: 'index.html', content: 'hello' })
  const states = async () => {
    const { body } = await api.send<Page<Deployment>>(`GET ${deployments}`, caller)
    return body.items.map(({ state }) => state)
  }

  const upload = request(`${api.origin}${deployments}`, {
    method: 'POST',
    headers: { ...headers, ...caller },
  })
  const answered = once(upload, 'response')
  upload.write(archive.subarray(0, 20))
  await until(async () => (await states()).length === 1)
  await way.close()
  upload.end(archive.subarray(20))
  const [answer] = await answered
  assert.equal(answer.statusCode, 503)
  answer.resume()

  await way.open()
  await until(async () => (await states()).length === 0)
  const body = new Uint8Array(archive)
  await until(async () => (await api.send(`POST ${deployments}`, caller, { headers, body })).status === 201)
  assert.deepEqual(await states(), ['ready'])
})

test('connections that PostgreSQL ends, as at a restart, are replaced', { skip }, async () => {
  await using schema = await postgresSchema()
  const url = new URL(schema.url)
  // Other tests have connections to the same server.
  const ours = `ended-${process.pid}`
  url.searchParams.set('application_name', ours)
  await using database = await open(url.href)
  await using api = await startApi(database)
  const { id } = await api.newAccount()
  const { caller } = await api.newKey(id, ['read'])
  const ask = () => api.send('GET /v1/account', caller)
  await Promise.all([ask(), ask(), ask(), ask()])
  const { rows } = await sql`select pg_terminate_backend(pid) from pg_stat_activity
    where pid <> pg_backend_pid() and application_name = ${ours}`.execute(database.read)
  assert.ok(rows.length > 0)
  const statuses = (await Promise.all([ask(), ask(), ask(), ask()])).map(({ status }) => status)
  for (const status of statuses) assert.ok(status === 200 || status === 503, `answered ${status}`)
  assert.equal((await ask()).status, 200)
})

test('requests that wait for a lock get 503, and leave no more connections than the pool has', {
  skip,
}, async () => {
  await using schema = await postgresSchema()
  const url = new URL(schema.url)
  const ours = `waiting-${process.pid}`
  url.searchParams.set('application_name', ours)
  await using database = await open(url.href, { queryTimeout: 200 })
  await using api = await startApi(database)
  const { id } = await api.newAccount('business')
  const { caller } = await api.newKey(id, ['read'])
  const ask = (search: string) => api.send(`GET /v1/projects?search=${search}`, caller)
  assert.equal((await ask('before')).status, 200)
  const other = longRunningClient(schema.url)
  await using unlocking = { [Symbol.asyncDispose]: () => other.end() }
  await other.connect()
  await other.query('begin; lock table projects, deployments in access exclusive mode')
  for (let round = 0; round < 3; round++) {
    const asked = Array.from({ length: 10 }, (_, index) => ask(`${round}-${index}`))
    for (const { status, text } of await Promise.all(asked)) assert.equal(status, 503, text)
  }
  const connections = `select from pg_stat_activity where application_name = '${ours}'`
  await until(async () => (await schema.query(connections)).length <= 10)
  assert.match(api.logged.join(''), /waited for a lock/)
  await unlocking[Symbol.asyncDispose]()
  assert.equal((await ask('after')).status, 200)
})
