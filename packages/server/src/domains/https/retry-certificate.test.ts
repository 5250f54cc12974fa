import assert from 'node:assert/strict'
import { test } from 'node:test'
import { skipWithout } from '@masthead/testing/peers/peers.ts'
import type { IssuingContext } from '../../certificates/context.ts'
import { createInternalIssuer, ensureInternalRoot } from '../../certificates/internal-ca/internal-issuer.ts'
import type { FailureKind } from '../../certificates/jobs/failure.ts'
import type { Issuer } from '../../certificates/jobs/issuer.ts'
import type { Database } from '../../database/database.ts'
import { onEachDatabase } from '../../database/each-database.test-kit.ts'
import { minute } from '../../kernel/clock.ts'
import { startCertifyingDomains } from '../certifying.test-kit.ts'
import { cname, timelineOf } from '../checking.test-kit.ts'
import { describeDomain } from '../claims/read-domain.ts'
import type { DomainRow } from '../domain.ts'
import { proveDomain } from '../proofs/proof-row.test-kit.ts'

const skip = skipWithout('knot')
const forbidding = '@ 60 CAA 0 issue "other.example"'
const allowing = '@ 60 CAA 0 issue "ca.example"'
const isLive = ({ state }: DomainRow) => state === 'live'

/** Domains whose certificates are refused for this reason while `failure` is set. */
async function start(database: Database, failure: FailureKind) {
  const trouble = { failure: failure as FailureKind | null, attempts: 0 }
  const issuer = async (context: IssuingContext): Promise<Issuer> => {
    const internal = createInternalIssuer(context, await ensureInternalRoot(context))
    return {
      ...internal,
      attempt: async (...job) => {
        trouble.attempts++
        const kind = trouble.failure
        if (kind === null) return internal.attempt(...job)
        return { kind: 'failed', failure: { kind, message: 'No.', document: null, retryAt: null } }
      },
    }
  }
  const authorities = [{ id: 'https://ca.example/directory', identities: ['ca.example'] }]
  const zones = { 'acme.test': '', 'masthead.test': '*.cname A 192.0.2.10' }
  const domains = await startCertifyingDomains(database, zones, {
    issuer,
    naming: { challengeDns: true, authorities },
  })
  const tenant = await domains.addTenant('acme')
  return {
    domains,
    tenant,
    trouble,
    set: (...lines: string[]) => domains.nameserver.setZone('acme.test', lines.join('\n')),
    verify: (hostname: string) => tenant.verify(hostname, domains.context),
    view: async (hostname: string) => describeDomain(domains.context, await tenant.row(hostname)),
    untilRefused: (hostname: string, times = 1) =>
      domains.until(tenant, hostname, async (row) => {
        const { attempts, nextAttemptAt } = (await describeDomain(domains.context, row)).certificate
        return attempts === times && Date.parse(nextAttemptAt ?? '') > domains.clock.at
      }),
  }
}

onEachDatabase('a certificate that waits for DNS', ({ open }) => {
  test('is requested at once when a check finds the CAA records changed', { skip }, async () => {
    await using database = await open()
    const { domains, tenant, trouble, set, verify, view, untilRefused } = await start(database, 'caa_forbids')
    await using _ = domains
    const name = 'www.acme.test'
    const row = await tenant.add(name)
    await set(forbidding, cname(row))
    await verify(name)
    await untilRefused(name)
    await verify(name)
    assert.deepEqual([trouble.attempts, (await view(name)).certificate.attempts], [1, 1])

    trouble.failure = null
    await set(allowing, cname(row))
    await verify(name)
    assert.equal((await view(name)).certificate.lastError, null)
    const kinds = await timelineOf(database.read, await domains.until(tenant, name, isLive))
    assert.ok(kinds.includes('certificate_asked'))
    assert.equal(trouble.attempts, 2)
  })

  test('is requested at once when a check finds the delegation of a wildcard', { skip }, async () => {
    await using database = await open()
    const { domains, tenant, trouble, set, verify, view, untilRefused } = await start(database, 'delegation')
    await using _ = domains
    await proveDomain(database, tenant.account.id, 'acme.test')
    const name = '*.acme.test'
    const row = await tenant.add(name, domains.context)
    await set(cname(row, '*'))
    await verify(name)
    await untilRefused(name)
    trouble.failure = null
    await set(cname(row, '*'), `_acme-challenge 60 CNAME ${row.target}.acme.masthead.test.`)
    await verify(name)
    assert.equal((await view(name)).certificate.lastError, null)
    await domains.until(tenant, name, async () => (await view(name)).certificate.status === 'valid')
  })

  test('is not looked up again for each check if the attempt sees other records', { skip }, async () => {
    await using database = await open()
    const { domains, tenant, trouble, set, verify, untilRefused } = await start(database, 'caa_forbids')
    await using _ = domains
    const name = 'www.acme.test'
    await set(allowing, cname(await tenant.add(name)))
    await verify(name)
    await untilRefused(name)
    for (let times = 0; times < 3; times++) await verify(name)
    await domains.reconcile()
    assert.equal((await untilRefused(name)).state, 'verified')
    domains.clock.at += minute
    await domains.reconcile()
    await untilRefused(name)
    await verify(name)
    await untilRefused(name, 2)
    await verify(name)
    await untilRefused(name, 2)
    assert.equal(trouble.attempts, 2)
  })
})
