import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { TimelineKind } from '@masthead/contract/domains/states.ts'
import { skipWithout } from '@masthead/testing/peers/peers.ts'
import type { IssuingContext } from '../../certificates/context.ts'
import { createInternalIssuer, ensureInternalRoot } from '../../certificates/internal-ca/internal-issuer.ts'
import type { Failure } from '../../certificates/jobs/failure.ts'
import type { Issuer } from '../../certificates/jobs/issuer.ts'
import { findInstalledCertificate } from '../../certificates/read.ts'
import type { Database } from '../../database/database.ts'
import { onEachDatabase } from '../../database/each-database.test-kit.ts'
import { day, minute } from '../../kernel/clock.ts'
import { type Certifying, type CertifyingOptions, startCertifyingDomains } from '../certifying.test-kit.ts'
import { by, cname, timelineOf } from '../checking.test-kit.ts'
import { reverifyDomain } from '../checks/verify-domain.ts'
import { describeDomain } from '../claims/read-domain.ts'
import type { DomainRow } from '../domain.ts'
import { delegationRecord } from '../records.ts'
import { listTimeline } from '../timeline/timeline.ts'

const skip = skipWithout('knot')
const hostname = 'www.acme.test'
const isLive = ({ state }: DomainRow) => state === 'live'

const said = 'DNS problem: SERVFAIL looking up A for www.acme.test'
const dnsTrouble: Failure = {
  kind: 'dns',
  message: `The CA said: "${said}"`,
  document: { type: 'urn:ietf:params:acme:error:dns', detail: said },
  retryAt: null,
}
const refusal: Failure = { ...dnsTrouble, kind: 'rejected_name' }
/** Not retried automatically within the hour. */
const caaTrouble: Failure = { ...dnsTrouble, kind: 'caa' }

/** The internal CA, which can be made to refuse. */
function moody(mood: { failure: Failure | null }) {
  return async (context: IssuingContext): Promise<Issuer> => {
    const issuer = createInternalIssuer(context, await ensureInternalRoot(context))
    const attempt: Issuer['attempt'] = async (...job) =>
      mood.failure === null ? issuer.attempt(...job) : { kind: 'failed', failure: mood.failure }
    return { ...issuer, title: 'The CA', attempt }
  }
}

async function startVerified(
  database: Database,
  failure: Failure | null,
  others: CertifyingOptions['others'] = [],
) {
  const mood = { failure }
  const options = { issuer: moody(mood), others }
  const domains = await startCertifyingDomains(database, { 'acme.test': '' }, options)
  const tenant = await domains.addTenant('acme')
  await domains.nameserver.setZone('acme.test', cname(await tenant.add(hostname)))
  await tenant.verify(hostname)
  const view = async () => describeDomain(domains.context, await tenant.row(hostname))
  const untilTold = (kind: TimelineKind) =>
    domains.until(tenant, hostname, async (row) => (await timelineOf(database.read, row)).includes(kind))
  return { domains, tenant, mood, view, untilTold }
}

async function goDrifting(domains: Certifying, tenant: { verify(name: string): Promise<DomainRow> }) {
  await domains.nameserver.setZone('acme.test', 'www 60 A 203.0.113.9')
  assert.equal((await tenant.verify(hostname)).state, 'drifted')
}

onEachDatabase('a certificate that cannot be issued', ({ open }) => {
  test("is shown with the CA's own words and the time of the next attempt", { skip }, async () => {
    await using database = await open()
    const { domains, tenant, view, untilTold } = await startVerified(database, dnsTrouble)
    await using _ = domains
    await untilTold('certificate_problem')
    const { certificate, state, advice } = await view()
    assert.deepEqual(
      [state, advice, certificate.status, certificate.attempts],
      ['verified', null, 'pending', 1],
    )
    const { kind, authority, hint, problem, add } = certificate.lastError ?? assert.fail()
    assert.deepEqual([kind, authority, certificate.lastError?.said, add], ['dns', 'The CA', said, null])
    assert.deepEqual(problem, dnsTrouble.document)
    assert.match(hint, /nameservers/)
    assert.ok(Date.parse(certificate.nextAttemptAt ?? '') >= domains.clock.at + minute)
    const entries = async () =>
      (await listTimeline(domains.context, await tenant.row(hostname), { limit: 1 })).items
    const [entry] = await entries()
    assert.equal(entry?.kind, 'certificate_problem')
    assert.deepEqual([entry.data.message, entry.data.hint], [dnsTrouble.message, hint])
    assert.equal(entry.data.nextAttemptAt, certificate.nextAttemptAt)
  })

  test('is asked of the next authority, and the timeline says which was used and why', { skip }, async () => {
    await using database = await open()
    const outage: Failure = {
      kind: 'unreachable',
      message: 'The CA could not be reached.',
      document: null,
      retryAt: null,
    }
    const second = async (context: IssuingContext) => ({
      ...(await moody({ failure: null })(context)),
      title: 'Second',
    })
    const { domains, tenant, view } = await startVerified(database, outage, [second])
    await using _ = domains
    const live = await domains.until(tenant, hostname, isLive)
    const passedOver = [{ authority: 'The CA', kind: 'unreachable', message: outage.message }]
    const { items } = await listTimeline(domains.context, live, { limit: 10 })
    const issued = items.find(({ kind }) => kind === 'certificate_issued')
    assert.deepEqual([issued?.data.authority, issued?.data.passedOver], ['Second', passedOver])
    const { certificate } = await view()
    assert.deepEqual([certificate.status, certificate.passedOver], ['valid', passedOver])
  })

  test('leads to the advice to reverify after half an hour, which starts a new attempt immediately', {
    skip,
  }, async () => {
    await using database = await open()
    const { domains, tenant, mood, view, untilTold } = await startVerified(database, caaTrouble)
    await using _ = domains
    await untilTold('certificate_problem')
    domains.clock.at += 30 * minute - 1
    assert.equal((await view()).advice, null)
    domains.clock.at += 1
    assert.equal((await view()).advice, 'reverify')

    mood.failure = null
    const { project } = tenant
    await reverifyDomain(domains.context, { project, hostname, by })
    const live = await domains.until(tenant, hostname, isLive)
    const kinds = await timelineOf(database.read, live)
    assert.ok(kinds.includes('certificate_asked'))
    assert.deepEqual(kinds.slice(-2), ['certificate_issued', 'live'])
    const { certificate, advice } = await view()
    assert.deepEqual([certificate.status, certificate.lastError, advice], ['valid', null, null])
  })

  test('stops the domain if refused for good, and Verify starts it again', { skip }, async () => {
    await using database = await open()
    const { domains, tenant, mood, view } = await startVerified(database, refusal)
    await using _ = domains
    const failed = await domains.until(tenant, hostname, ({ state }) => state === 'failed')
    assert.equal(failed.next_check_at, null)
    assert.equal(await domains.servedAt(hostname), null)
    assert.deepEqual((await timelineOf(database.read, failed)).slice(-2), [
      'certificate_problem',
      'certificate_refused',
    ])
    const { certificate } = await view()
    assert.deepEqual([certificate.status, certificate.lastError?.kind], ['failed', 'rejected_name'])

    mood.failure = null
    assert.equal((await tenant.verify(hostname)).state, 'verified')
    await domains.until(tenant, hostname, isLive)
  })
})

onEachDatabase('a certificate that is not due', ({ open }) => {
  test('is replaced on request, because it may have been revoked', {
    skip,
  }, async () => {
    await using database = await open()
    const { domains, tenant, view, untilTold } = await startVerified(database, null)
    await using _ = domains
    await domains.until(tenant, hostname, isLive)
    const { serial } = (await view()).certificate
    assert.equal((await tenant.verify(hostname)).state, 'live')
    assert.equal((await view()).certificate.serial, serial)
    const { project } = tenant
    await reverifyDomain(domains.context, { project, hostname, by })
    await domains.until(tenant, hostname, async () => (await view()).certificate.serial !== serial)
    const kinds = await timelineOf(database.read, await untilTold('certificate_renewed'))
    // The probe that follows may be done, too.
    assert.deepEqual(
      kinds.slice(kinds.lastIndexOf('certificate_asked'), kinds.lastIndexOf('certificate_renewed') + 1),
      ['certificate_asked', 'certificate_ordered', 'certificate_renewed'],
    )
  })
})

onEachDatabase('an expired certificate', ({ open }) => {
  test('stops a domain whose DNS points elsewhere', { skip }, async () => {
    await using database = await open()
    const { domains, tenant } = await startVerified(database, null)
    await using _ = domains
    await domains.until(tenant, hostname, isLive)
    await goDrifting(domains, tenant)
    domains.clock.at += 7 * day - minute
    await domains.reconcile()
    const late = await tenant.row(hostname)
    assert.equal(late.state, 'drifted')
    domains.clock.at = late.next_check_at ?? 0
    await domains.reconcile()
    const { state, next_check_at, lease_until } = await tenant.row(hostname)
    assert.deepEqual([state, next_check_at, lease_until], ['failed', null, 0])
    assert.equal(await findInstalledCertificate(database.read, hostname), null)
  })

  test('leaves a domain whose DNS is right served over HTTP, until a new one comes', { skip }, async () => {
    await using database = await open()
    const { domains, tenant, mood, untilTold } = await startVerified(database, null)
    await using _ = domains
    await domains.until(tenant, hostname, isLive)
    mood.failure = dnsTrouble
    domains.clock.at += 7 * day
    await domains.reconcile()
    const late = await tenant.row(hostname)
    assert.deepEqual(
      [late.state, (await timelineOf(database.read, late)).at(-1)],
      ['verified', 'certificate_expired'],
    )
    assert.equal(await domains.servedAt(hostname), 'acme')
    domains.clock.at = late.next_check_at ?? 0
    await domains.reconcile()
    await untilTold('certificate_problem')
  })
})

onEachDatabase('the certificate of a name', ({ open }) => {
  const serialOf = async (database: Database) =>
    (await findInstalledCertificate(database.read, hostname))?.serial ?? null

  test('is dropped with its domain, and stays when an unproved claim is withdrawn', {
    skip,
  }, async () => {
    await using database = await open()
    const { domains, tenant } = await startVerified(database, null)
    await using _ = domains
    await domains.until(tenant, hostname, isLive)
    const squatter = await domains.addTenant('squatter')
    const claim = await squatter.add(hostname)
    assert.equal((await describeDomain(domains.context, claim)).certificate.status, 'none')
    await squatter.remove(hostname)
    assert.notEqual(await serialOf(database), null)
    await tenant.remove(hostname)
    assert.equal(await serialOf(database), null)
  })

  test('is replaced once another account has proved the name', { skip }, async () => {
    await using database = await open()
    const { domains, tenant } = await startVerified(database, null)
    await using _ = domains
    await domains.until(tenant, hostname, isLive)
    const before = await serialOf(database)
    const winner = await domains.addTenant('winner')
    await domains.nameserver.setZone('acme.test', cname(await winner.add(hostname)))
    await winner.verify(hostname)
    await domains.until(winner, hostname, isLive)
    const after = await serialOf(database)
    assert.ok(after !== null && after !== before)
    const lost = await tenant.row(hostname)
    assert.deepEqual([lost.state, (await timelineOf(database.read, lost)).at(-1)], ['failed', 'lost'])
    assert.equal((await describeDomain(domains.context, lost)).certificate.status, 'none')
  })

  test('is still there when DNS recovers', { skip }, async () => {
    await using database = await open()
    const { domains, tenant } = await startVerified(database, null)
    await using _ = domains
    const live = await domains.until(tenant, hostname, isLive)
    const before = await serialOf(database)
    await goDrifting(domains, tenant)
    await domains.nameserver.setZone('acme.test', cname(live))
    assert.equal((await tenant.verify(hostname)).state, 'live')
    const probed = await domains.until(
      tenant,
      hostname,
      async (row) => (await timelineOf(database.read, row)).at(-1) === 'probed',
    )
    assert.deepEqual([probed.state, await serialOf(database)], ['live', before])
  })

  test('for a domain that is only prepared ends its preparation once, and is not ordered again with each check', {
    skip,
  }, async () => {
    await using database = await open()
    const mood: { failure: Failure | null } = { failure: null }
    const options = { issuer: moody(mood), naming: { challengeDns: true } }
    await using domains = await startCertifyingDomains(database, { 'acme.test': '' }, options)
    const { context, clock } = domains
    const tenant = await domains.addTenant('acme')
    const { fqdn, value } = delegationRecord(await tenant.add(hostname), context.naming)
    await domains.nameserver.setZone('acme.test', `www 60 A 203.0.113.9\n${fqdn}. 60 CNAME ${value}.`)
    assert.equal((await tenant.verify(hostname, context)).state, 'prepared')
    const isInstalled = async () => (await findInstalledCertificate(database.read, hostname)) !== null
    await domains.until(tenant, hostname, isInstalled)

    mood.failure = caaTrouble
    clock.at = ((await findInstalledCertificate(database.read, hostname))?.notAfter ?? 0) + minute
    const started = clock.at
    for (let checks = 0; checks < 8; checks++) {
      clock.at = Math.max(clock.at, (await tenant.row(hostname)).next_check_at ?? assert.fail())
      await domains.reconcile()
    }
    const after = await tenant.row(hostname)
    assert.equal(after.state, 'prepared')
    assert.ok(after.searching_since >= started)
    const timeline = await timelineOf(database.read, after)
    assert.equal(timeline.filter((kind) => kind === 'prepared').length, 2)
    assert.equal(timeline.filter((kind) => kind === 'certificate_expired').length, 1)
    assert.ok(!timeline.includes('unprepared'))
  })
})
