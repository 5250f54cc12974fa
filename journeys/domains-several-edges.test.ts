import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { OpenConnection } from '@masthead/testing/clients/open-connection.ts'
import { visitHost } from '@masthead/testing/clients/visit.ts'
import { freeDnsPort } from '@masthead/testing/free-port.ts'
import { MastheadProcess } from '@masthead/testing/masthead-process.ts'
import { skipWithout } from '@masthead/testing/peers/peers.ts'
import { postgresSchema } from '@masthead/testing/peers/postgres.ts'
import { startSeverableLink } from '@masthead/testing/peers/severable-link.ts'
import { until } from '@masthead/testing/until.ts'
import { createTenant, requiredRecord, type Tenant } from './tenant.ts'

const outage = 3_000

async function addVerified(tenant: Tenant, hostname: string): Promise<void> {
  const value = requiredRecord(await tenant.add(hostname), 'CNAME')
  await tenant.client.setLabRecord({ params: { name: hostname, type: 'CNAME' }, body: { values: [value] } })
  assert.equal((await tenant.verify(hostname)).state, 'verified')
}

async function startApi(database: string): Promise<MastheadProcess> {
  const lab = String(await freeDnsPort('127.0.0.1'))
  const env = { DATABASE_URL: database, MASTHEAD_ROLES: 'api,worker', MASTHEAD_LAB_PORT: lab }
  return MastheadProcess.start({ env })
}

/** Repeats the request on an open connection until this is the response. */
async function answers(connection: OpenConnection, hostname: string, status: number): Promise<void> {
  await until(async () => (await connection.ask(hostname)).status === status)
}

/** A pool may hand out one more broken connection after its server is back. */
async function onceBack<Result>(work: () => Promise<Result>, tries = 100): Promise<Result> {
  return work().catch(async (error: unknown) => {
    if (tries === 0) throw error
    await sleep(50)
    return onceBack(work, tries - 1)
  })
}

test('every edge serves what the API verifies and refuses what it removes, even around an outage', {
  skip: skipWithout('postgresql'),
  timeout: 300_000,
}, async () => {
  await using schema = await postgresSchema()
  await using link = await startSeverableLink(schema.url)
  await using api = await startApi(link.url)
  const edgeEnv = { DATABASE_URL: link.url, MASTHEAD_ROLES: 'edge', MASTHEAD_DATA: api.dataFolder }
  await using first = await MastheadProcess.start({ env: edgeEnv })
  await using second = await MastheadProcess.start({ env: edgeEnv })
  const edges = [first, second]
  using connections = new DisposableStack()
  const open: OpenConnection[] = []
  for (const { httpPort } of edges) open.push(connections.use(await OpenConnection.to(httpPort)))
  const onAll = (hostname: string, status: number) =>
    Promise.all(open.map((connection) => answers(connection, hostname, status)))

  const tenant = await createTenant(api, 'acme')
  await onAll('one.acme.localhost', 404)
  for (const name of ['one', 'two', 'cold']) await addVerified(tenant, `${name}.acme.localhost`)
  await onAll('one.acme.localhost', 200)
  await onAll('two.acme.localhost', 200)

  await tenant.remove('one.acme.localhost')
  await onAll('one.acme.localhost', 404)

  await link.sever()
  for (const end = Date.now() + outage; Date.now() < end; await sleep(20)) {
    for (const connection of open) {
      assert.deepEqual(await connection.ask('two.acme.localhost'), { status: 200, body: 'acme' })
    }
  }
  for (const edge of edges) {
    assert.equal((await visitHost(edge, 'one.acme.localhost')).status, 404)
    assert.equal((await visitHost(edge, 'cold.acme.localhost')).status, 503)
  }
  await link.mend()
  await onceBack(() => tenant.remove('two.acme.localhost'))
  await onAll('two.acme.localhost', 404)
  await onAll('cold.acme.localhost', 200)
})

test('an edge whose database connections hang refuses removed domains and serves the rest', {
  skip: skipWithout('postgresql'),
  timeout: 300_000,
}, async () => {
  await using schema = await postgresSchema()
  await using link = await startSeverableLink(schema.url)
  await using api = await startApi(schema.url)
  const env = { DATABASE_URL: link.url, MASTHEAD_ROLES: 'edge', MASTHEAD_DATA: api.dataFolder }
  await using edge = await MastheadProcess.start({ env })
  using connection = await OpenConnection.to(edge.httpPort)
  const tenant = await createTenant(api, 'acme')
  for (const name of ['one', 'two']) await addVerified(tenant, `${name}.acme.localhost`)
  for (const name of ['one', 'two']) await answers(connection, `${name}.acme.localhost`, 200)

  link.freeze()
  await tenant.remove('one.acme.localhost')
  while ((await connection.ask('one.acme.localhost')).status !== 404) {
    assert.deepEqual(await connection.ask('two.acme.localhost'), { status: 200, body: 'acme' })
    await sleep(5)
  }
  // By notification again, over working connections.
  await tenant.remove('two.acme.localhost')
  await answers(connection, 'two.acme.localhost', 404)
})
