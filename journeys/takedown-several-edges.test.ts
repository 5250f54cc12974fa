import assert from 'node:assert/strict'
import { test } from 'node:test'
import { OpenConnection } from '@masthead/testing/clients/open-connection.ts'
import { freeDnsPort } from '@masthead/testing/free-port.ts'
import { MastheadProcess } from '@masthead/testing/masthead-process.ts'
import { skipWithout } from '@masthead/testing/peers/peers.ts'
import { postgresSchema } from '@masthead/testing/peers/postgres.ts'
import { startSeverableLink } from '@masthead/testing/peers/severable-link.ts'
import { until } from '@masthead/testing/until.ts'
import { createTenant, operatorClient } from './tenant.ts'

const host = 'rumours.masthead.localhost'

test('every edge refuses a site that was taken down, on open connections and without a database', {
  skip: skipWithout('postgresql'),
  timeout: 300_000,
}, async () => {
  await using schema = await postgresSchema()
  await using link = await startSeverableLink(schema.url)
  const lab = String(await freeDnsPort('127.0.0.1'))
  await using api = await MastheadProcess.start({
    env: { DATABASE_URL: schema.url, MASTHEAD_ROLES: 'api,worker', MASTHEAD_LAB_PORT: lab },
  })
  const env = { DATABASE_URL: link.url, MASTHEAD_ROLES: 'edge', MASTHEAD_DATA: api.dataFolder }
  await using first = await MastheadProcess.start({ env })
  await using second = await MastheadProcess.start({ env })
  await createTenant(api, 'rumours')
  const operator = await operatorClient(api)
  using connections = new DisposableStack()
  const open: OpenConnection[] = []
  for (const { httpPort } of [first, second, second]) {
    open.push(connections.use(await OpenConnection.to(httpPort)))
  }
  const onAll = (status: number) =>
    Promise.all(
      open.map(async (connection) => {
        await until(async () => (await connection.ask(host)).status === status)
      }),
    )
  await onAll(200)

  const project = { project: 'rumours' }
  await operator.takeDownSite({ params: project, body: { reason: 'A court order.', status: 451 } })
  await onAll(451)
  await operator.restoreSite({ params: project })
  await onAll(200)

  const { items } = await operator.listSites({ query: { search: `http://${host}/` } })
  const account = items[0]?.accountId
  assert.ok(account)
  await operator.suspendAccount({ params: { account }, body: { reason: 'Unpaid.' } })
  await onAll(503)
  // It stays down while the database is unavailable.
  await link.sever()
  for (const connection of open) assert.equal((await connection.ask(host)).status, 503)
  await link.mend()
  await operator.restoreAccount({ params: { account } })
  await onAll(200)
})
