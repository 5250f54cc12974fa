import assert from 'node:assert/strict'
import { test } from 'node:test'
import { OpenConnection } from '@masthead/testing/clients/open-connection.ts'
import { Http2Connection } from '@masthead/testing/clients/visit.ts'
import { freeDnsPort } from '@masthead/testing/free-port.ts'
import { MastheadProcess } from '@masthead/testing/masthead-process.ts'
import { createTenant, requiredRecord, waitUntilLive } from './tenant.ts'

const [removed, kept] = ['www.acme.localhost', 'kept.acme.localhost'] as const
const unknownName = { code: 'ERR_SSL_TLSV1_UNRECOGNIZED_NAME' }

for (const workers of ['1', '2']) {
  test(`a removed domain is refused on open connections and in new handshakes (edge processes: ${workers})`, {
    timeout: 300_000,
  }, async () => {
    const labPort = String(await freeDnsPort('127.0.0.1'))
    await using masthead = await MastheadProcess.start({
      env: { MASTHEAD_LAB_PORT: labPort, MASTHEAD_WORKERS: workers },
    })
    const { httpsPort } = masthead
    const tenant = await createTenant(masthead, 'acme')
    for (const name of [removed, kept]) {
      const value = requiredRecord(await tenant.add(name), 'CNAME')
      await tenant.client.setLabRecord({ params: { name, type: 'CNAME' }, body: { values: [value] } })
      await tenant.verify(name)
    }
    await waitUntilLive(tenant)
    const root = await tenant.client.getCaRoot()
    using connections = new DisposableStack()
    const open: (OpenConnection | Http2Connection)[] = []
    for (let count = 0; count < 8; count++) {
      open.push(connections.use(await OpenConnection.securelyTo(httpsPort, removed, root)))
      open.push(connections.use(await Http2Connection.to(httpsPort, removed, root)))
    }
    const ask = async (name: string) =>
      new Set(await Promise.all(open.map(async (connection) => (await connection.ask(name)).status)))
    assert.deepEqual(await ask(removed), new Set([200]))

    await tenant.remove(removed)
    assert.deepEqual(await ask(removed), new Set([404]))
    for (let count = 0; count < 8; count++) {
      await assert.rejects(OpenConnection.securelyTo(httpsPort, removed, root), unknownName)
      await assert.rejects(Http2Connection.to(httpsPort, removed, root), unknownName)
    }
    using other = await Http2Connection.to(httpsPort, kept, root)
    assert.equal((await other.ask(kept)).status, 200)
  })
}
