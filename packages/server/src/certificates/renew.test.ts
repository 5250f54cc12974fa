import assert from 'node:assert/strict'
import { X509Certificate } from 'node:crypto'
import { test } from 'node:test'
import { skipWithout } from '@masthead/testing/peers/peers.ts'
import { onEachDatabase } from '../database/each-database.test-kit.ts'
import { day, hour, isoTime, minute } from '../kernel/clock.ts'
import { certificateRow } from './certificate-row.test-kit.ts'
import { faultProxy, refusal } from './fault-proxy.test-kit.ts'
import type { InternalRoot } from './internal-ca/internal-ca.ts'
import {
  createInternalIssuer,
  ensureInternalRoot,
  followInternalRoot,
} from './internal-ca/internal-issuer.ts'
import { type NodeOptions, startNode, startOwnPebbleCa, startPebbleCa } from './issuing.test-kit.ts'
import { findJob } from './jobs/job-store.ts'
import { internalPlatformCertificates } from './platform/platform-certificates.ts'
import { findCertificate } from './read.ts'
import { renewDue, renewFromOtherIssuers } from './renew.ts'
import { findCertificateRow, findDueCertificates, putCertificate } from './store.ts'
import { renewalId } from './x509/renewal-id.ts'

const skip = skipWithout('pebble')
const name = 'www.acme.test'
const silent = { warn: () => {} }
const internal: NodeOptions['issuer'] = async (context) =>
  createInternalIssuer(context, await ensureInternalRoot(context))

onEachDatabase('renewal', ({ open }) => {
  test('an internal certificate is renewed halfway through its week, not before', async () => {
    await using database = await open()
    await using node = await startNode(database, { issuer: internal })
    node.work()
    await node.get(name)
    const first = await node.state(name)

    node.clock.ahead = 3 * day
    await renewDue(node.context, silent)
    assert.equal((await node.state(name)).serial, first.serial)
    node.clock.ahead = 3.6 * day
    await Promise.all([renewDue(node.context, silent), renewDue(node.context, silent)])
    await node.until(() => node.installed.length === 2)
    assert.notEqual((await node.state(name)).serial, first.serial)
    assert.equal(node.heard.filter((change) => change === `certificate ${name}`).length, 2)
    await renewDue(node.context, silent)
    assert.equal((await node.state(name)).status, 'valid')
    assert.equal(await jobCount(), 0)

    async function jobCount(): Promise<number> {
      return (await database.read.selectFrom('certificate_jobs').select('name').execute()).length
    }
  })

  test('all nodes share one root, even if they start together', async () => {
    await using database = await open()
    await using node = await startNode(database, { issuer: internal })
    const roots = await Promise.all(Array.from({ length: 4 }, () => ensureInternalRoot(node.context)))
    assert.equal(new Set(roots.map(({ certificatePem }) => certificatePem)).size, 1)
  })

  test('a root that ends before a new certificate would is replaced by one that all nodes share', async () => {
    await using database = await open()
    await using node = await startNode(database, { issuer: internal })
    node.work()
    const first = await ensureInternalRoot(node.context)
    const issuerOf = async (one: string) => {
      await node.get(one)
      const found = (await findCertificate(node.context, one)) ?? assert.fail()
      const leaf = new X509Certificate(found.chain)
      assert.equal(leaf.validToDate.getTime() - leaf.validFromDate.getTime(), 7 * day + hour)
      return leaf.issuer
    }
    const subjectOf = ({ certificatePem }: InternalRoot) => new X509Certificate(certificatePem).subject
    node.clock.ahead = 3644 * day
    assert.equal(await issuerOf(name), subjectOf(first))

    node.clock.ahead = 4000 * day
    const roots = await Promise.all(Array.from({ length: 4 }, () => ensureInternalRoot(node.context)))
    const [second = assert.fail()] = roots
    assert.equal(new Set(roots.map(({ certificatePem }) => certificatePem)).size, 1)
    assert.notEqual(subjectOf(second), subjectOf(first))
    assert.equal(await issuerOf('late.acme.test'), subjectOf(second))
    const platform = internalPlatformCertificates(followInternalRoot(node.context, first), node.context.now)
    const platformIssuer = async () =>
      new X509Certificate((await platform.find('acme.pages.test', null))?.chain ?? '').issuer
    assert.equal(await platformIssuer(), subjectOf(second))

    node.clock.ahead = 0
    const again = await ensureInternalRoot(node.context)
    assert.equal(subjectOf(again), subjectOf(first), 'the clock was wrong, and devices trust the first')
    assert.equal(await platformIssuer(), subjectOf(first), 'without a restart')
  })

  test('a failed renewal leaves the certificate in place and is retried', { skip }, async () => {
    await using ca = await startOwnPebbleCa()
    await using database = await open()
    await using node = await ca.startWorking(database)
    await node.get(name)
    const before = await findCertificate(node.context, name)
    await database.write((tx) => tx.updateTable('certificates').set({ renew_at: 0, check_at: 0 }).execute())
    await ca.pebble.stop()
    await renewDue(node.context, silent)
    await node.until(async () => (await node.state(name)).attempts === 1)
    const state = await node.state(name)
    assert.equal(state.status, 'valid')
    assert.equal(state.lastError?.kind, 'unreachable')
    assert.notEqual(state.nextAttemptAt, null)
    await renewDue(node.context, silent)
    assert.equal((await node.state(name)).attempts, 1)
    assert.deepEqual(await findCertificate(node.context, name), before)
  })

  test('the renewal happens in the window that the CA suggests and says what it replaces', {
    skip,
  }, async () => {
    await using ca = await startPebbleCa()
    const window = (from: number, to: number) => ({
      suggestedWindow: { start: isoTime(from), end: isoTime(to) },
    })
    const later = Date.now() + 10 * day
    const directory = await ca.directory()
    const withAri = { ...directory, renewalInfo: `${new URL(ca.pebble.directoryUrl).origin}/ari` }
    const ari = { path: '/ari', status: 200, body: window(later, later + day), headers: {} }
    const proxy = faultProxy([{ path: '/dir', status: 200, body: withAri }, ari])
    await using database = await open()
    await using node = await ca.startWorking(database, { fetch: proxy.fetch })
    await node.get(name)
    const row = async () => (await findCertificateRow(database.read, name)) ?? assert.fail()
    const first = await row()

    node.clock.ahead = 6 * hour
    await renewDue(node.context, silent)
    const checked = await row()
    assert.equal(checked.ari_id, renewalId(first.chain))
    assert.ok(checked.renew_at >= later - 1000 && checked.renew_at < later + day)
    assert.ok(Number(checked.check_at) < node.context.now() + 12 * hour)

    // The same window again: the chosen time stays.
    node.clock.ahead = 18 * hour
    await renewDue(node.context, silent)
    assert.equal((await row()).renew_at, checked.renew_at)
    assert.equal(proxy.requests.filter(({ path }) => path.startsWith('/ari')).length, 2)

    // The CA wants it renewed immediately, then says it was already replaced.
    ari.body = window(Date.now() - 2 * day, Date.now() - day)
    proxy.faults.push(
      refusal('alreadyReplaced', 'it was replaced by another order', {
        status: 409,
        when: (payload) => 'replaces' in payload,
      }),
    )
    node.clock.ahead = 30 * hour
    await renewDue(node.context, silent)
    assert.ok((await row()).renew_at < node.context.now())
    // Pebble's orders last an hour by its own clock.
    node.clock.ahead = 0
    await database.write((tx) => tx.updateTable('certificates').set({ renew_at: 0, check_at: 0 }).execute())
    await renewDue(node.context, silent)
    await node.until(() => node.installed.length === 2)
    assert.notEqual((await row()).serial, first.serial)
    const orders = proxy.requests.filter(({ path }) => path === '/order-plz')
    assert.deepEqual(
      orders.map(({ payload }) => payload.replaces),
      [undefined, checked.ari_id, undefined],
    )
    const failed = node.progress.flatMap(({ progress }) =>
      progress.step === 'failed' ? progress.error.kind : [],
    )
    assert.deepEqual(failed, ['already_replaced'])
    const log = await database.read.selectFrom('issuance_log').select(['outcome', 'exempt']).execute()
    assert.deepEqual(
      log.map(({ outcome, exempt }) => `${outcome} ${exempt}`),
      ['issued 0', 'issued 0'],
    )
  })

  test('a CA that wants every certificate renewed at once does not get order after order', {
    skip,
  }, async () => {
    await using ca = await startPebbleCa()
    const directory = await ca.directory()
    const withAri = { ...directory, renewalInfo: `${new URL(ca.pebble.directoryUrl).origin}/ari` }
    const suggestedWindow = { start: '0001-01-01T00:00:00Z', end: '0001-01-02T00:00:00Z' }
    const proxy = faultProxy([
      { path: '/dir', status: 200, body: withAri },
      { path: '/ari', status: 200, body: { suggestedWindow }, headers: { 'retry-after': '1' } },
    ])
    await using database = await open()
    await using node = await ca.startWorking(database, { fetch: proxy.fetch })
    await node.get(name)
    const { not_before } = (await findCertificateRow(database.read, name)) ?? assert.fail()
    for (const passed of [6 * hour, 11 * hour]) {
      node.clock.ahead = passed
      await renewDue(node.context, silent)
      const { renew_at } = (await findCertificateRow(database.read, name)) ?? assert.fail()
      assert.equal(renew_at, not_before + 12 * hour)
    }
    assert.equal(await findJob(database.read, name), undefined)
    node.clock.ahead = 12 * hour
    await renewDue(node.context, silent)
    assert.equal((await findJob(database.read, name))?.reason, 'renewal')
  })

  test('a CA without renewal information is asked again hours later', { skip }, async () => {
    await using ca = await startPebbleCa()
    await using database = await open()
    await using node = await ca.startWorking(database)
    await node.get(name)
    const before = await findCertificateRow(database.read, name)
    node.clock.ahead = 6 * hour
    await renewDue(node.context, silent)
    const after = await findCertificateRow(database.read, name)
    assert.equal(after?.renew_at, before?.renew_at)
    assert.ok(Number(after?.check_at) > node.context.now() + 5 * hour)
  })

  test('after switching CAs, the certificates of others become due in batches', async () => {
    await using database = await open()
    const certificates = Array.from({ length: 250 }, (_, n) =>
      certificateRow(`www${100 + n}.test`, {
        issuer: n % 5 === 0 ? 'https://kept.example/' : 'https://ca.example/',
      }),
    )
    await database.write(async (tx) => {
      for (const row of certificates) await putCertificate(tx, row)
    })
    const at = Date.UTC(2030, 0, 2)
    const dueAfterWrites: number[] = []
    const watched: typeof database = {
      ...database,
      async write(work) {
        const result = await database.write(work)
        dueAfterWrites.push((await findDueCertificates(database.read, at, 1_000)).length)
        return result
      },
    }
    const issuers = [{ id: 'https://kept.example/' }]
    const context = { database: watched, now: () => at, issuers }
    await renewFromOtherIssuers(context)
    assert.deepEqual(dueAfterWrites, [80, 160, 200])
    const due = await findDueCertificates(database.read, at, 1_000)
    assert.ok(due.every(({ issuer, renew_at }) => issuer === 'https://ca.example/' && renew_at === at))
    await renewFromOtherIssuers(context)
    assert.equal(dueAfterWrites.length, 3)
  })

  test('after switching CAs, everything is replaced by the new one', { skip }, async () => {
    await using ca = await startPebbleCa()
    await using database = await open()
    {
      await using node = await startNode(database, { issuer: internal })
      node.work()
      await node.get(name)
    }
    await using node = await ca.startWorking(database)
    await renewFromOtherIssuers(node.context)
    await renewDue(node.context, silent)
    await node.until(() => node.installed.length === 1)
    assert.equal((await node.state(name)).issuer, ca.pebble.directoryUrl)
    await renewFromOtherIssuers(node.context)
    assert.ok(Number((await findCertificateRow(database.read, name))?.check_at) > Date.now() + minute)
  })
})
