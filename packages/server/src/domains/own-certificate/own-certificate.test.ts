import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { keepsOwnCertificate } from '@masthead/contract/domains/certificate-trouble.ts'
import { type OpensslCa, startOpensslCa } from '@masthead/testing/peers/openssl-ca.ts'
import { skipWithout } from '@masthead/testing/peers/peers.ts'
import { findCertificate, findInstalledCertificate } from '../../certificates/read.ts'
import { renewDue, renewFromOtherIssuers } from '../../certificates/renew.ts'
import { onEachDatabase } from '../../database/each-database.test-kit.ts'
import { day, hour } from '../../kernel/clock.ts'
import { startCertifyingDomains } from '../certifying.test-kit.ts'
import { by, cname, domainEventsOf, timelineOf } from '../checking.test-kit.ts'
import { reverifyDomain } from '../checks/verify-domain.ts'
import { describeDomain } from '../claims/read-domain.ts'
import type { DomainRow } from '../domain.ts'
import { updateDomain } from '../store.ts'
import { handOverCertificate } from './hand-over-certificate.ts'
import { uploadCertificate } from './upload-certificate.ts'
import { warnOfExpiring } from './warn-expiring.ts'

const skip = skipWithout('knot')
const hostname = 'www.acme.test'
const isLive = ({ state }: DomainRow) => state === 'live'
const log = { warn: () => assert.fail('a warning') }

let ca: OpensslCa
let own: { chain: string; key: string; serial: string }

before(async () => {
  ca = await startOpensslCa()
  const { leaf, key } = await ca.issue({ names: ['*.acme.test'] })
  own = { chain: leaf + ca.intermediate, key, serial: '' }
})
after(() => ca.remove())

onEachDatabase('a certificate of your own', ({ open }) => {
  async function start(database: Awaited<ReturnType<typeof open>>) {
    const domains = await startCertifyingDomains(database, { 'acme.test': '' })
    domains.clock.at = Date.now() + hour
    const tenant = await domains.addTenant('acme')
    const row = await tenant.add(hostname)
    const context = { ...domains.context, sealing: domains.issuing.sealing }
    return {
      domains,
      tenant,
      upload: () => uploadCertificate(context, { project: tenant.project, hostname, by, ...own }),
      handOver: () => handOverCertificate(context, { project: tenant.project, hostname, by }),
      view: async () => describeDomain(domains.context, await tenant.row(hostname)),
      pointHere: () => domains.nameserver.setZone('acme.test', cname(row)),
      served: async () => (await findInstalledCertificate(database.read, hostname))?.chain ?? null,
    }
  }

  test('uploaded before the move is served from the moment DNS points here, and never ordered for', {
    skip,
  }, async () => {
    await using database = await open()
    const { domains, tenant, upload, view, pointHere, served } = await start(database)
    await using _ = domains
    await upload()
    const before = (await view()).certificate
    assert.deepEqual(
      [before.status, before.own?.inUse, before.own?.issuer],
      ['none', false, 'Test Intermediate'],
    )
    assert.equal(await served(), null)
    await pointHere()
    await tenant.verify(hostname)
    const live = await domains.until(tenant, hostname, isLive)
    assert.equal(await served(), own.chain)
    const { certificate } = await view()
    assert.deepEqual(
      [certificate.status, certificate.own?.inUse, certificate.own?.trusted],
      ['valid', true, false],
    )
    assert.deepEqual((await timelineOf(database.read, live)).slice(-2), ['own_certificate_installed', 'live'])
    // Neither a restart nor a check nor a request replaces it.
    await renewFromOtherIssuers(domains.certifying)
    assert.equal(await renewDue(domains.certifying, log), false)
    await reverifyDomain(domains.context, { project: tenant.project, hostname, by })
    await domains.until(tenant, hostname, async () => (await jobs()) === 0)
    assert.equal(await served(), own.chain)
    assert.ok(!(await timelineOf(database.read, live)).includes('certificate_asked'))
    assert.ok(keepsOwnCertificate(await view()))
    async function jobs() {
      return (await database.read.selectFrom('certificate_jobs').selectAll().execute()).length
    }
  })

  test('replaces ours at once, and ours replaces it without a gap', { skip }, async () => {
    await using database = await open()
    const { domains, tenant, upload, handOver, view, pointHere, served } = await start(database)
    await using _ = domains
    await assert.rejects(handOver(), { code: 'not_found' })
    await pointHere()
    await tenant.verify(hostname)
    await domains.until(tenant, hostname, isLive)
    const ours = await served()
    await upload()
    assert.equal(await served(), own.chain)
    assert.equal((await findCertificate(domains.issuing, hostname))?.keyPem, own.key)
    await handOver()
    const between = await served()
    assert.ok(between !== null && between !== ours)
    await domains.until(tenant, hostname, async () => (await served()) !== own.chain)
    const { certificate } = await view()
    assert.deepEqual(
      [certificate.status, certificate.own, certificate.issuer],
      ['valid', null, 'The internal CA'],
    )
    const kinds = await timelineOf(database.read, await tenant.row(hostname))
    assert.ok(kinds.includes('certificate_uploaded') && kinds.includes('certificate_handed_over'))
    assert.deepEqual(await database.read.selectFrom('own_certificates').selectAll().execute(), [])
  })

  test('is sealed, and goes with its domain', { skip }, async () => {
    await using database = await open()
    const { domains, tenant, upload } = await start(database)
    await using _ = domains
    await upload()
    const rows = () => database.read.selectFrom('own_certificates').selectAll().execute()
    const secret = own.key.split('\n')[1] ?? assert.fail()
    assert.ok(!JSON.stringify(await rows()).includes(secret))
    await tenant.remove(hostname)
    assert.deepEqual(await rows(), [])
  })

  test('of an account that does not hold the name is not served', { skip }, async () => {
    await using database = await open()
    const { domains, upload, served } = await start(database)
    await using _ = domains
    const winner = await domains.addTenant('winner')
    await domains.nameserver.setZone('acme.test', cname(await winner.add(hostname)))
    await winner.verify(hostname)
    await domains.until(winner, hostname, isLive)
    const theirs = await served()
    await upload()
    assert.equal(await served(), theirs)
  })

  test('uploaded while DNS points elsewhere for a while is used instead of the one obtained before', {
    skip,
  }, async () => {
    await using database = await open()
    const { domains, tenant, upload, pointHere, served } = await start(database)
    await using _ = domains
    await pointHere()
    await tenant.verify(hostname)
    const { id } = await domains.until(tenant, hostname, isLive)
    // As if DNS had changed before it was live.
    await domains.nameserver.setZone('acme.test', '')
    await database.write((tx) => updateDomain(tx, id, { state: 'verified' }))
    assert.equal((await tenant.verify(hostname)).state, 'pending')
    assert.ok((await served()) !== null)
    await upload()
    await pointHere()
    await tenant.verify(hostname)
    await domains.until(tenant, hostname, isLive)
    assert.equal(await served(), own.chain)
  })

  test('of an account that does not hold the name changes nothing for the holder when it is removed', {
    skip,
  }, async () => {
    await using database = await open()
    const { domains, upload, handOver } = await start(database)
    await using _ = domains
    const winner = await domains.addTenant('winner')
    await domains.nameserver.setZone('acme.test', cname(await winner.add(hostname)))
    await winner.verify(hostname)
    await domains.until(winner, hostname, isLive)
    const context = { ...domains.context, sealing: domains.issuing.sealing }
    await uploadCertificate(context, { project: winner.project, hostname, by, ...own })
    const renewal = () =>
      database.read
        .selectFrom('certificates')
        .select(['issuer', 'renew_at', 'check_at'])
        .where('name', '=', hostname)
        .executeTakeFirstOrThrow()
    const before = { ...(await renewal()) }
    assert.deepEqual([before.issuer, before.check_at], ['own', before.renew_at])
    await upload()
    await handOver()
    assert.deepEqual({ ...(await renewal()) }, before)
  })

  test('is warned of 30, 14, 7, 3 and 1 days before its end, then Masthead takes over', {
    skip,
  }, async () => {
    await using database = await open()
    const { domains, tenant, upload, view, pointHere, served } = await start(database)
    await using _ = domains
    await pointHere()
    await tenant.verify(hostname)
    await domains.until(tenant, hostname, isLive)
    await upload()
    const end = Date.parse((await view()).certificate.own?.notAfter ?? '')
    const warned: number[] = []
    for (let left = 32 * day; left > 0; left -= 12 * hour) {
      domains.clock.at = end - left
      const before = await countWarnings()
      await Promise.all([warnOfExpiring(domains.context), warnOfExpiring(domains.context)])
      const added = (await countWarnings()) - before
      assert.ok(added <= 1)
      if (added === 1) warned.push(left / day)
      assert.equal((await view()).advice, left <= 30 * day ? 'replace_certificate' : null)
    }
    assert.deepEqual(warned, [30, 14, 7, 3, 1])
    assert.equal(await served(), own.chain)
    domains.clock.at = end - hour
    await renewDue(domains.certifying, log)
    await domains.until(tenant, hostname, async () => (await served()) !== own.chain)

    async function countWarnings() {
      const types = await domainEventsOf(database.read, await tenant.row(hostname))
      return types.filter((type) => type === 'domain.certificate_expiring').length
    }
  })
})
