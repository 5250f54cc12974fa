import assert from 'node:assert/strict'
import { test } from 'node:test'
import { skipWithout } from '@masthead/testing/peers/peers.ts'
import { onEachDatabase } from '../../database/each-database.test-kit.ts'
import type { CaaLookUp } from '../caa/caa.ts'
import { faultProxy } from '../fault-proxy.test-kit.ts'
import { startPebbleCa } from '../issuing.test-kit.ts'
import { findJob } from '../jobs/job-store.ts'

const skip = skipWithout('pebble')
const name = 'www.acme.test'
const authority = { identities: ['ca.example'] }

const caa =
  (value: string): CaaLookUp =>
  async (at) => ({ records: at === 'acme.test' ? [{ critical: false, tag: 'issue', value }] : [] })

onEachDatabase('CAA records that restrict validation methods', ({ open }) => {
  test('are respected, also by a resumed order', { skip }, async () => {
    await using ca = await startPebbleCa()
    const caaLookUp = caa('ca.example; validationmethods=tls-alpn-01')
    const busy = { type: 'urn:ietf:params:acme:error:serverInternal', detail: 'busy' }
    const proxy = faultProxy([{ path: '/authZ', status: 500, body: busy, times: 1 }])
    await using database = await open()
    await using node = await ca.startWorking(database, { caaLookUp, authority, fetch: proxy.fetch })
    await node.request(name)
    await node.until(async () => (await node.state(name)).lastError?.kind === 'server_internal')
    assert.notEqual((await findJob(database.read, name))?.order_url, null)
    await node.get(name)
    assert.ok(ca.edge.tlsRequests > 0)
    assert.equal(ca.edge.requests, ca.edge.tlsRequests)
    assert.equal(ca.orders.length, 1)
  })

  test('that allow none of our methods cost no order', { skip }, async () => {
    await using ca = await startPebbleCa()
    const caaLookUp = caa('ca.example; validationmethods=dns-01')
    await using database = await open()
    await using node = await ca.startWorking(database, { caaLookUp, authority })
    await node.request(name)
    await node.until(async () => (await node.state(name)).attempts === 1)
    const { lastError } = await node.state(name)
    assert.equal(lastError?.kind, 'caa_forbids')
    assert.deepEqual(lastError?.add, { type: 'CAA', fqdn: 'acme.test', value: '0 issue "ca.example"' })
    assert.equal(ca.orders.length, 0)
    assert.deepEqual(await database.read.selectFrom('issuance_log').selectAll().execute(), [])
  })

  test('that ask for dns-01 can be met by a delegation, which is offered', { skip }, async () => {
    await using ca = await startPebbleCa()
    const caaLookUp = caa('ca.example; validationmethods=dns-01')
    const record = { type: 'CNAME', fqdn: `_acme-challenge.${name}`, value: 'mine.acme.pages.test' } as const
    const delegations = { find: async () => ({ label: null, isOnlyWay: false, record }) }
    await using database = await open()
    await using node = await ca.startWorking(database, { caaLookUp, authority, delegations })
    await node.request(name)
    await node.until(async () => (await node.state(name)).attempts === 1)
    const { lastError } = await node.state(name)
    assert.deepEqual([lastError?.kind, lastError?.add], ['caa_forbids', record])
    assert.equal(ca.orders.length, 0)
  })

  test('are checked for the identities from the directory if none are configured', { skip }, async () => {
    await using ca = await startPebbleCa()
    const directory = { ...(await ca.directory()), meta: { caaIdentities: ['listed.example'] } }
    const proxy = faultProxy([{ path: '/dir', status: 200, body: directory }])
    await using database = await open()
    const using = { caaLookUp: caa('other.example'), fetch: proxy.fetch }
    await using node = await ca.startWorking(database, using)
    const [issuer] = node.context.issuers
    assert.deepEqual(issuer.caIdentities(), [])
    await node.until(() => issuer.caIdentities().length > 0)
    assert.deepEqual(issuer.caIdentities(), ['listed.example'])
    await node.request(name)
    await node.until(async () => (await node.state(name)).attempts === 1)
    assert.equal((await node.state(name)).lastError?.add?.value, '0 issue "listed.example"')
    assert.equal(ca.orders.length, 0)
  })
})
