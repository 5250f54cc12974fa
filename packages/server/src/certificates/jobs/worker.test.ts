import assert from 'node:assert/strict'
import { X509Certificate } from 'node:crypto'
import { test } from 'node:test'
import { skipWithout } from '@masthead/testing/peers/peers.ts'
import { onEachDatabase } from '../../database/each-database.test-kit.ts'
import { second } from '../../kernel/clock.ts'
import { startNode, startOwnPebbleCa, startPebbleCa } from '../issuing.test-kit.ts'
import { findCertificate } from '../read.ts'
import { cancelCertificate, requestCertificate } from './request-certificate.ts'

const skip = skipWithout('pebble')
const name = 'www.acme.test'

onEachDatabase('the certificate worker with ACME', ({ open }) => {
  test('a requested certificate is ordered, validated, installed and announced', { skip }, async () => {
    await using ca = await startPebbleCa()
    await using database = await open()
    await using node = await ca.startWorking(database)
    await node.get(name)

    const found = (await findCertificate(node.context, name)) ?? assert.fail()
    const [leaf, issuer] = found.chain.split(/(?=-----BEGIN)/).map((pem) => new X509Certificate(pem))
    const root = new X509Certificate(await ca.pebble.issuerRootPem())
    assert.ok(leaf?.checkHost(name, { subject: 'never' }) === name)
    assert.ok(issuer && leaf.verify(issuer.publicKey) && issuer.verify(root.publicKey))
    assert.match(found.keyPem, /^-----BEGIN PRIVATE KEY-----/)

    const state = await node.state(name)
    assert.equal(state.status, 'valid')
    assert.equal(state.serial, leaf.serialNumber.toLowerCase())
    assert.deepEqual(
      node.progress.map(({ progress }) => progress.step),
      ['ordered', 'installed'],
    )
    assert.deepEqual(node.heard, [`certificate_due ${name}`, `certificate ${name}`])
    for (const table of ['certificate_jobs', 'acme_challenges'] as const) {
      assert.deepEqual(await database.read.selectFrom(table).selectAll().execute(), [])
    }
    const stored = await database.read.selectFrom('certificates').selectAll().executeTakeFirst()
    assert.ok(!JSON.stringify(stored).includes('PRIVATE KEY'))
  })

  test('requesting a fresh certificate again orders nothing and reports it as installed', {
    skip,
  }, async () => {
    await using ca = await startPebbleCa()
    await using database = await open()
    await using node = await ca.startWorking(database)
    await node.get(name)
    await node.get(name)
    assert.equal(node.installed.length, 2)
    assert.equal(ca.orders.length, 1)
  })

  test('no order is placed for a name that is not allowed', { skip }, async () => {
    await using ca = await startPebbleCa()
    await using database = await open()
    await using node = await ca.startWorking(database, {}, { isAllowed: (one) => one === name })
    await node.request('stranger.test', name)
    await node.until(() => node.installed.includes(name))
    await node.until(async () => (await node.state('stranger.test')).status === 'none')
    assert.equal(ca.orders.length, 1)
  })

  test('if nothing listens on port 80, the next attempt validates over TLS', { skip }, async () => {
    await using ca = await startOwnPebbleCa()
    await using database = await open()
    await using node = await startNode(database, { issuer: ca.issuer() })
    ca.edge.node = node
    ca.edge.closeHttp()
    node.work()
    await node.request(name)
    await node.until(async () => (await node.state(name)).attempts === 1)
    const { status, lastError, nextAttemptAt } = await node.state(name)
    assert.equal(status, 'pending')
    assert.equal(lastError?.kind, 'connection')
    assert.match(lastError?.message ?? '', /^127\.0\.0\.1:\d+ said: ".*connection refused/)
    assert.equal(lastError?.problem?.type, 'urn:ietf:params:acme:error:connection')
    const wait = Date.parse(nextAttemptAt ?? '') - Date.parse(lastError?.at ?? '')
    assert.ok(wait >= 10 * second && wait <= 11 * second, `${wait}`)
    const at = node.context.now()
    await database.write((tx) => requestCertificate(node.context, tx, { name, reason: 'asked', at }))
    await node.until(() => node.installed.includes(name))
    assert.equal((await node.state(name)).lastError, null)
    const steps = node.progress.map(({ progress }) => progress.step)
    assert.deepEqual(steps, ['ordered', 'failed', 'ordered', 'installed'])
  })

  test('a name removed during its order gets no certificate', { skip }, async () => {
    await using ca = await startOwnPebbleCa()
    await using database = await open()
    await using node = await startNode(database, { issuer: ca.issuer() })
    ca.edge.node = node
    ca.pebble.pause()
    node.work()
    await node.request(name)
    await node.until(async () => {
      const job = await database.read.selectFrom('certificate_jobs').selectAll().executeTakeFirst()
      return job?.lease_owner != null
    })
    await database.write((tx) => cancelCertificate(node.context, tx, name))
    ca.pebble.resume()
    await node.stopWorking()
    assert.equal((await node.state(name)).status, 'none')
    assert.equal(await findCertificate(node.context, name), null)
    assert.deepEqual(node.installed, [])
    assert.deepEqual(node.errors, [])
  })

  test('a CA that rejects 30% of nonces delays nothing', { skip }, async () => {
    await using ca = await startOwnPebbleCa({ nonceReject: 30 })
    await using database = await open()
    await using node = await ca.startWorking(database)
    const names = Array.from({ length: 10 }, (_, index) => `n${index}.acme.test`)
    await node.request(...names)
    await node.until(() => node.installed.length === names.length)
    assert.equal(ca.orders.length, names.length)
    assert.ok(node.progress.every(({ progress }) => progress.step !== 'failed'))
  })

  test('everything requested while the CA is down is issued when it comes back', { skip }, async () => {
    await using ca = await startOwnPebbleCa()
    await using database = await open()
    await using node = await ca.startWorking(database)
    await node.request('before.acme.test')
    await node.until(() => node.installed.length === 1)

    await ca.pebble.stop()
    const names = Array.from({ length: 5 }, (_, index) => `n${index}.acme.test`)
    await node.request(...names)
    await node.until(async () => {
      const states = await Promise.all(names.map(node.state))
      return states.every(({ lastError }) => lastError?.kind === 'unreachable')
    })
    // Restarting makes Pebble forget our account and every order.
    await ca.pebble.start()
    node.clock.ahead += 20_000
    await node.request('after.acme.test')
    await node.until(() => node.installed.length === 2 + names.length)
    const kinds = node.progress.flatMap(({ progress }) =>
      progress.step === 'failed' ? progress.error.kind : [],
    )
    assert.deepEqual(new Set(kinds), new Set(['unreachable', 'account_missing']))
  })
})
