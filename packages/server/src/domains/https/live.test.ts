import assert from 'node:assert/strict'
import { test } from 'node:test'
import { skipWithout } from '@masthead/testing/peers/peers.ts'
import { requestCertificate } from '../../certificates/jobs/request-certificate.ts'
import { createAddresses } from '../../config/addresses.ts'
import { onEachDatabase } from '../../database/each-database.test-kit.ts'
import { second } from '../../kernel/clock.ts'
import { startCertifyingDomains } from '../certifying.test-kit.ts'
import { apex, cname, domainEventsOf, naming, timelineOf, txt } from '../checking.test-kit.ts'
import { describeDomain } from '../claims/read-domain.ts'
import type { DomainRow } from '../domain.ts'
import { findRoute } from '../read.ts'
import { listTimeline } from '../timeline/timeline.ts'
import { parseProbe } from './stored-probe.ts'

const skip = skipWithout('knot')
const hostname = 'www.acme.test'
const platform = 'masthead.test'
const isLive = ({ state }: DomainRow) => state === 'live'

onEachDatabase('a verified domain', ({ open }) => {
  test('gets its certificate, is probed and goes live automatically', { skip }, async () => {
    await using database = await open()
    await using domains = await startCertifyingDomains(database, { 'acme.test': '' })
    const { context } = domains
    const tenant = await domains.addTenant('acme')
    await domains.nameserver.setZone('acme.test', cname(await tenant.add(hostname)))
    const verified = await tenant.verify(hostname)
    assert.equal(verified.state, 'verified')
    const addresses = createAddresses({ ...naming, httpPort: 80, publicHttpsPort: 443, httpsRedirect: true })
    const urlOf = async (row: DomainRow) => (await describeDomain({ ...context, addresses }, row)).url
    assert.equal(await urlOf(verified), `http://${hostname}`)

    const live = await domains.until(tenant, hostname, isLive)
    assert.equal(live.live_at, context.now())
    assert.equal(await urlOf(live), `https://${hostname}`)
    const walked = ['added', 'checked', 'verified', 'certificate_ordered', 'certificate_issued', 'live']
    assert.deepEqual(await timelineOf(database.read, live), walked)
    assert.deepEqual(await domainEventsOf(database.read, live), [
      'domain.added',
      'domain.verified',
      'domain.live',
    ])
    assert.deepEqual(await findRoute(context, hostname, platform), { kind: 'site', slug: 'acme' })
    const { certificate, advice } = await describeDomain(context, live)
    assert.deepEqual([certificate.status, certificate.issuer, advice], ['valid', 'The internal CA', null])
    const { edge } = parseProbe(live)
    assert.deepEqual([edge?.serial, edge?.via, edge?.address], [certificate.serial, 'edge', '127.0.0.1'])
    const [entry] = (await listTimeline(context, live, { limit: 1 })).items
    assert.deepEqual(entry?.data, { evidence: edge })
  })

  test('waits while the edge does not answer, with a backoff that the timeline shows', { skip }, async () => {
    await using database = await open()
    await using domains = await startCertifyingDomains(database, { 'acme.test': '' })
    const { context, clock } = domains
    domains.edge.inOrder = false
    const tenant = await domains.addTenant('acme')
    await domains.nameserver.setZone('acme.test', cname(await tenant.add(hostname)))
    await tenant.verify(hostname)
    await domains.until(tenant, hostname, ({ probe }) => probe !== null)

    const { next_check_at } = await tenant.row(hostname)
    assert.equal(next_check_at, clock.at + second)
    for (let round = 0; round < 3; round++) {
      clock.at = (await tenant.row(hostname)).next_check_at ?? 0
      await domains.reconcile()
      assert.equal((await tenant.row(hostname)).state, 'verified')
    }
    const { items } = await listTimeline(context, await tenant.row(hostname), { limit: 100 })
    const failed = items.filter(({ kind }) => kind === 'probe_failed')
    assert.deepEqual(
      failed.map(({ times }) => times),
      [parseProbe(await tenant.row(hostname)).failed?.times],
    )
    assert.match(String(failed[0]?.data.why), /handshake|closed/)

    domains.edge.inOrder = true
    clock.at += 60 * second
    await domains.reconcile()
    assert.equal((await tenant.row(hostname)).state, 'live')
  })

  test('goes live even if the worker died before probing the certificate', { skip }, async () => {
    await using database = await open()
    await using domains = await startCertifyingDomains(database, { 'acme.test': '' }, { followsUp: false })
    const tenant = await domains.addTenant('acme')
    await domains.nameserver.setZone('acme.test', cname(await tenant.add(hostname)))
    await tenant.verify(hostname)
    const { next_check_at } = await domains.until(tenant, hostname, async (row) =>
      (await timelineOf(database.read, row)).includes('certificate_issued'),
    )
    domains.clock.at = next_check_at ?? 0
    await domains.reconcile()
    assert.equal((await tenant.row(hostname)).state, 'live')
  })

  test('is also probed at its address in DNS, once it is live', { skip }, async () => {
    await using database = await open()
    const naming = { edgeAddresses: ['127.0.0.1'] }
    const zones = { 'acme.test': apex.replace('192.0.2.10', '127.0.0.1') }
    await using domains = await startCertifyingDomains(database, zones, { naming })
    const tenant = await domains.addTenant('acme')
    const added = await tenant.add('acme.test', domains.context)
    await domains.nameserver.setZone('acme.test', `${zones['acme.test']}\n${txt(added)}`)
    await tenant.verify('acme.test', domains.context)
    const live = await domains.until(tenant, 'acme.test', isLive)
    domains.clock.at = live.next_check_at ?? 0
    await domains.reconcile()
    const { dns, edge } = parseProbe(await tenant.row('acme.test'))
    assert.deepEqual([dns?.via, dns?.address, dns?.serial], ['dns', '127.0.0.1', edge?.serial])
  })

  test('stays live over a renewal, and is probed with the new certificate', { skip }, async () => {
    await using database = await open()
    await using domains = await startCertifyingDomains(database, { 'acme.test': '' })
    const { context } = domains
    const tenant = await domains.addTenant('acme')
    await domains.nameserver.setZone('acme.test', cname(await tenant.add(hostname)))
    await tenant.verify(hostname)
    const before = await domains.until(tenant, hostname, isLive)
    await database.write(async (tx) => {
      await tx.updateTable('certificates').set({ renew_at: context.now() }).execute()
      await requestCertificate(context, tx, { name: hostname, reason: 'renewal', at: context.now() })
    })
    const serial = parseProbe(before).edge?.serial
    const after = await domains.until(tenant, hostname, (row) => parseProbe(row).edge?.serial !== serial)
    assert.deepEqual([after.state, after.live_at], ['live', before.live_at])
    const told = (await timelineOf(database.read, after)).slice(-3)
    assert.deepEqual(told, ['certificate_ordered', 'certificate_renewed', 'probed'])
  })
})
