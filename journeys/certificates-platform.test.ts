import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { connect } from 'node:tls'
import type { OperatorCertificate } from '@masthead/contract/schemas/operator.ts'
import { OpenConnection } from '@masthead/testing/clients/open-connection.ts'
import { createPublisher } from '@masthead/testing/clients/publisher.ts'
import { tarGz } from '@masthead/testing/clients/tar-gz.ts'
import { MastheadProcess } from '@masthead/testing/masthead-process.ts'
import { skipWithout } from '@masthead/testing/peers/peers.ts'
import { until } from '@masthead/testing/until.ts'
import { assertServed, type CaAndDns, startCaAndDns } from './ca-and-dns.ts'
import { createTenant, operatorClient, waitUntilLive } from './tenant.ts'

const skip = skipWithout('pebble', 'knot')
const own = 'acme.masthead.test'
const patience = { everyMs: 50, atMostMs: 90_000 }

/** Each test has a server of its own on the ports that the CA looks at. */
const sharedCaAndDns = () => (startedCaAndDns ??= startCaAndDns())
let startedCaAndDns: Promise<CaAndDns> | undefined
after(async () => (await startedCaAndDns)?.[Symbol.asyncDispose]())

/** The certificates and certificate jobs of the server, by name. */
async function certificates(masthead: MastheadProcess) {
  const { items } = await (await operatorClient(masthead)).listCertificates({ query: { limit: 100 } })
  return new Map(items.map((item) => [item.hostname, item]))
}

async function untilFailed(masthead: MastheadProcess, name: string): Promise<OperatorCertificate> {
  let found: OperatorCertificate | undefined
  await until(async () => {
    found = (await certificates(masthead)).get(name)
    return (found?.lastError ?? null) !== null
  }, patience)
  return found ?? assert.fail()
}

/** Opens connections whose handshakes wait for a certificate. */
function openWaitingConnections(
  { httpsPort }: MastheadProcess,
  servername: string,
  visitors: number,
): Disposable {
  const sockets = Array.from({ length: visitors }, () =>
    connect({ host: '127.0.0.1', port: httpsPort, servername }).on('error', () => {}),
  )
  return { [Symbol.dispose]: () => sockets.forEach((socket) => void socket.destroy()) }
}

for (const workers of ['1', '2']) {
  test(`each name of a project gets a certificate at the first visit and loses it with the project (edge processes: ${workers})`, {
    skip,
    timeout: 300_000,
  }, async () => {
    const around = await sharedCaAndDns()
    const { pebble } = around
    const ordersBefore = pebble.ordersMade()
    const ordersMade = () => pebble.ordersMade() - ordersBefore
    const env = { ...around.masthead.env, MASTHEAD_WORKERS: workers }
    await using masthead = await MastheadProcess.start({ ...around.masthead, env })
    const { httpsPort } = masthead
    const tenant = await createTenant(masthead, 'acme')
    const root = await pebble.issuerRootPem()
    assert.equal(ordersMade(), 0)

    const visit = async () => {
      using connection = await OpenConnection.securelyTo(httpsPort, own, root)
      return await connection.ask(own)
    }
    const visits = await Promise.all(Array.from({ length: 40 }, visit))
    assert.deepEqual(new Set(visits.map(({ status, body }) => `${status} ${body}`)), new Set(['200 acme']))
    assert.equal(ordersMade(), 1)

    const { items } = await tenant.client.listDeployments({ params: { project: 'acme' }, query: {} })
    const preview = new URL(items[0]?.url ?? assert.fail()).hostname
    assert.match(preview, /--acme\.masthead\.test$/)
    await assertServed(masthead, [preview, own], { root, page: 'acme' })
    assert.equal(ordersMade(), 2)
    const unknownName = { code: 'ERR_SSL_TLSV1_UNRECOGNIZED_NAME' }
    await assert.rejects(OpenConnection.securelyTo(httpsPort, 'nobody.masthead.test', root), unknownName)
    assert.deepEqual([...(await certificates(masthead)).keys()].sort(), [preview, own].sort())

    await tenant.client.deleteProject({ params: { project: 'acme' } })
    for (const name of [own, preview]) {
      await assert.rejects(OpenConnection.securelyTo(httpsPort, name, root), unknownName)
    }
    assert.deepEqual([...(await certificates(masthead)).keys()], [])
    assert.equal(ordersMade(), 2)

    await tenant.client.createProject({ body: { slug: 'acme' } })
    const archive = new Blob([tarGz({ 'index.html': 'acme' })])
    await tenant.client.createDeployment({ params: { project: 'acme' }, archive, type: 'application/gzip' })
    await assertServed(masthead, [own], { root, page: 'acme' })
    assert.equal(ordersMade(), 3)
  })
}

test('while the CA is down, visits to one name neither cause attempts nor delay visits to others', {
  skip,
  timeout: 300_000,
}, async () => {
  const around = await sharedCaAndDns()
  const { pebble } = around
  await using masthead = await MastheadProcess.start(around.masthead)
  const tenant = await createTenant(masthead, 'acme')
  await around.point(await tenant.add('www.acme.test'))
  await tenant.verify('www.acme.test')
  await waitUntilLive(tenant)
  const root = await pebble.issuerRootPem()
  await assertServed(masthead, [own], { root, page: 'acme' })
  const publisher = await createPublisher(masthead)
  await publisher.createProject('late')
  await publisher.publishArchive('late', tarGz({ 'index.html': 'late' }))

  // Empties the certificate cache.
  await masthead.restart()
  await pebble.stop()
  const late = 'late.masthead.test'
  {
    using _waiting = openWaitingConnections(masthead, late, 150)
    const failed = await untilFailed(masthead, late)
    assert.equal(failed.lastError?.kind, 'unreachable')
    using _more = openWaitingConnections(masthead, late, 150)
    await assertServed(masthead, ['www.acme.test', own], { root, page: 'acme' })
    const after = (await certificates(masthead)).get(late)
    assert.deepEqual(after, failed)
  }

  await pebble.start()
  const before = pebble.ordersMade()
  await until(async () => (await certificates(masthead)).get(late)?.status === 'valid', patience)
  assert.equal(pebble.ordersMade(), before + 1)
  await assertServed(masthead, [late], { root: await pebble.issuerRootPem(), page: 'late' })
})
