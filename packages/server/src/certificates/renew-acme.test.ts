import assert from 'node:assert/strict'
import { test } from 'node:test'
import { skipWithout } from '@masthead/testing/peers/peers.ts'
import type { Database } from '../database/database.ts'
import { onEachDatabase } from '../database/each-database.test-kit.ts'
import { minute, second } from '../kernel/clock.ts'
import type { Fetch } from './acme/exchange.ts'
import { type Fault, faultProxy, refusal } from './fault-proxy.test-kit.ts'
import { type Node, startOwnPebbleCa, startPebbleCa } from './issuing.test-kit.ts'
import { findJob } from './jobs/job-store.ts'
import { requestCertificate } from './jobs/request-certificate.ts'
import { renewDue } from './renew.ts'
import { findCertificateRow } from './store.ts'
import { renewalId } from './x509/renewal-id.ts'

const skip = skipWithout('pebble')
const name = 'www.acme.test'
const silent = { warn: () => {} }

async function requestAgain({ context }: Node): Promise<void> {
  const at = context.now()
  await context.database.write((tx) => requestCertificate(context, tx, { name, reason: 'asked', at }))
}

async function makeDue(database: Database): Promise<void> {
  await database.write((tx) => tx.updateTable('certificates').set({ renew_at: 0, check_at: 0 }).execute())
}

async function logged(database: Database): Promise<string[]> {
  const rows = await database.read.selectFrom('issuance_log').selectAll().orderBy('at').execute()
  return rows.map(({ outcome, exempt }) => `${outcome} ${exempt}`)
}

onEachDatabase('renewal at an ACME CA', ({ open }) => {
  test('starts halfway through a short lifetime and installs the new certificate', {
    skip,
  }, async () => {
    // Pebble's orders last an hour by its own clock.
    await using ca = await startOwnPebbleCa({ certificateSeconds: (80 * minute) / second })
    await using database = await open()
    await using node = await ca.startWorking(database)
    await node.get(name)
    const first = await node.state(name)
    node.clock.ahead = 30 * minute
    await renewDue(node.context, silent)
    assert.equal(await findJob(database.read, name), undefined)

    node.clock.ahead = 45 * minute
    await Promise.all([renewDue(node.context, silent), renewDue(node.context, silent)])
    await node.until(() => node.installed.length === 2)
    const renewed = await node.state(name)
    assert.notEqual(renewed.serial, first.serial)
    assert.equal(renewed.status, 'valid')
    assert.equal(ca.orders.length, 2)
    node.clock.ahead = 79 * minute
    assert.equal((await node.state(name)).status, 'valid')
  })

  /** A node with a certificate from a CA that supports ARI. */
  async function withAri(database: Database, ...faults: Fault[]) {
    const ca = await startPebbleCa()
    const directory = { ...(await ca.directory()), renewalInfo: new URL('/ari', ca.pebble.directoryUrl).href }
    const proxy = faultProxy([{ path: '/dir', status: 200, body: directory }, ...faults])
    const node = await ca.startWorking(database, { fetch: proxy.fetch })
    await node.get(name)
    const { chain } = (await findCertificateRow(database.read, name)) ?? assert.fail()
    const replaced = () =>
      proxy.requests.filter(({ path }) => path === '/order-plz').map(({ payload }) => payload.replaces)
    return {
      ca,
      node,
      proxy,
      id: renewalId(chain),
      replaced,
      async [Symbol.asyncDispose]() {
        await node[Symbol.asyncDispose]()
        await ca[Symbol.asyncDispose]()
      },
    }
  }

  test('says what it replaces even if ARI never responded, and is not counted', { skip }, async () => {
    await using database = await open()
    const away = { type: 'urn:ietf:params:acme:error:serverInternal', detail: 'away' }
    await using renewal = await withAri(database, { path: '/ari', status: 503, body: away })
    const { node, id, replaced } = renewal
    await makeDue(database)
    await renewDue(node.context, silent)
    await node.until(() => node.installed.length === 2)
    assert.deepEqual(replaced(), [undefined, id])
    assert.deepEqual(await logged(database), ['issued 0', 'issued 1'])
  })

  test('is not held up by all the certificates that a CA which cannot be reached is asked about', {
    skip,
  }, async () => {
    await using ca = await startPebbleCa()
    const renewalInfo = new URL('/ari', ca.pebble.directoryUrl).href
    const proxy = faultProxy([
      { path: '/dir', status: 200, body: { ...(await ca.directory()), renewalInfo } },
    ])
    let asked = 0
    const fetch =
      (real: Fetch): Fetch =>
      async (url, init) => {
        if (!url.startsWith(renewalInfo)) return proxy.fetch(real)(url, init)
        asked++
        throw new Error('timed out')
      }
    await using database = await open()
    await using node = await ca.startWorking(database, { fetch })
    const names = Array.from({ length: 20 }, (_, index) => `n${index}.acme.test`)
    await node.request(...names)
    await node.untilValid(...names)
    await database.write((tx) => tx.updateTable('certificates').set({ check_at: 0 }).execute())
    for (let round = 0; round < 2; round++) await renewDue(node.context, silent)
    // As many as are asked about at once, and the others at their next check.
    assert.ok(asked <= 8, `${asked}`)
  })

  test('is counted by a CA without ARI, which does not learn what is replaced', { skip }, async () => {
    await using ca = await startPebbleCa()
    const proxy = faultProxy([])
    await using database = await open()
    await using node = await ca.startWorking(database, { fetch: proxy.fetch })
    await node.get(name)
    await makeDue(database)
    await renewDue(node.context, silent)
    await node.until(() => node.installed.length === 2)
    const orders = proxy.requests.filter(({ path }) => path === '/order-plz')
    assert.deepEqual(
      orders.map(({ payload }) => 'replaces' in payload),
      [false, false],
    )
    assert.deepEqual(await logged(database), ['issued 0', 'issued 0'])
  })

  test('continues without naming it if this account may not replace it', { skip }, async () => {
    await using database = await open()
    const detail = 'requester account did not request the certificate being replaced'
    const isReplacing = (payload: Record<string, unknown>) => 'replaces' in payload
    await using renewal = await withAri(database, refusal('unauthorized', detail, { when: isReplacing }))
    const { node, id, replaced } = renewal
    await makeDue(database)
    await renewDue(node.context, silent)
    await node.until(() => node.installed.length === 2)
    assert.deepEqual(replaced(), [undefined, id, undefined])
    assert.deepEqual(node.logged, [], 'the account is not refused')
  })

  test('continues without naming it if the CA finds that malformed, although the name has no certificate by now', {
    skip,
  }, async () => {
    await using database = await open()
    const isReplacing = (payload: Record<string, unknown>) => 'replaces' in payload
    const more = { when: isReplacing, status: 400 }
    await using renewal = await withAri(database, refusal('malformed', 'replaces: it has expired', more))
    const { node, id, replaced } = renewal
    await makeDue(database)
    await database.write((tx) => tx.updateTable('certificates').set({ not_after: 1 }).execute())
    await renewDue(node.context, silent)
    await node.until(() => node.installed.length === 2)
    assert.deepEqual(replaced(), [undefined, id, undefined])
  })

  test('reports the account if the CA refuses the order also without naming what it replaces', {
    skip,
  }, async () => {
    await using database = await open()
    await using renewal = await withAri(database)
    const { node, proxy, id, replaced } = renewal
    proxy.faults.push(refusal('unauthorized', 'the account has been deactivated'))
    await makeDue(database)
    await renewDue(node.context, silent)
    await node.until(async () => (await node.state(name)).attempts === 2)
    const { lastError } = await node.state(name)
    assert.equal(lastError?.kind, 'account_refused')
    assert.match(lastError?.hint ?? '', /not the domain/)
    assert.deepEqual(replaced(), [undefined, id, undefined])
    assert.match(node.logged[0]?.message ?? '', /refuses the account of this server/)
  })

  test('that was requested manually and refused is retried automatically', { skip }, async () => {
    await using ca = await startPebbleCa()
    const proxy = faultProxy([])
    await using database = await open()
    await using node = await ca.startWorking(database, { fetch: proxy.fetch })
    await node.get(name)
    await makeDue(database)
    proxy.faults.push(refusal('malformed', 'No', { status: 400 }))
    await requestAgain(node)
    await node.until(async () => (await node.state(name)).attempts === 1)
    const state = await node.state(name)
    assert.equal(state.status, 'valid')
    assert.notEqual(state.nextAttemptAt, null)
  })
})

onEachDatabase('an order whose response was lost', ({ open }) => {
  test('is counted and continued; one that never reached the CA is not counted', {
    skip,
  }, async () => {
    await using ca = await startOwnPebbleCa()
    await using database = await open()
    let isCutOff = false
    await using node = await ca.startWorking(database, {
      fetch: (real) => async (url, init) => {
        const answer = await real(url, init)
        if (!url.endsWith('/order-plz') || isCutOff) return answer
        isCutOff = true
        throw Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' })
      },
    })
    await node.request(name)
    await node.until(async () => (await node.state(name)).attempts === 1)
    assert.deepEqual(await logged(database), ['ordered 0'])
    await requestAgain(node)
    await node.until(() => node.installed.includes(name))
    assert.deepEqual(await logged(database), ['issued 0'])
    assert.equal(ca.orders.length, 1)

    await ca.pebble.stop()
    await node.request('other.acme.test')
    await node.until(async () => (await node.state('other.acme.test')).attempts === 1)
    assert.deepEqual(await logged(database), ['issued 0'])
  })
})
