import assert from 'node:assert/strict'
import { test } from 'node:test'
import { freePort } from '@masthead/testing/free-port.ts'
import { MastheadProcess } from '@masthead/testing/masthead-process.ts'
import { skipWithout } from '@masthead/testing/peers/peers.ts'
import { until } from '@masthead/testing/until.ts'
import { assertServed, startCaAndDns } from './ca-and-dns.ts'
import { createTenant, waitUntilLive } from './tenant.ts'

const name = 'www.acme.test'

test('if the CA cannot connect over HTTP, the owner sees why, and the next attempt validates over TLS', {
  skip: skipWithout('pebble', 'knot'),
  timeout: 300_000,
}, async () => {
  await using around = await startCaAndDns()
  const ports = { ...around.masthead.ports, http: await freePort() }
  await using masthead = await MastheadProcess.start({ ...around.masthead, ports })
  const tenant = await createTenant(masthead, 'acme')
  await around.point(await tenant.add(name))
  let domain = await tenant.verify(name)
  await until(async () => {
    assert.equal(domain.state, 'verified')
    domain = await tenant.domain(name)
    return domain.certificate.lastError !== null
  })
  const { attempts, lastError, nextAttemptAt } = domain.certificate
  assert.partialDeepStrictEqual({ attempts, lastError }, { attempts: 1, lastError: { kind: 'connection' } })
  assert.match(lastError?.said ?? '', /connection refused/)
  assert.notEqual(nextAttemptAt, null)

  await tenant.client.reverifyDomain({ params: { project: 'acme', hostname: name } })
  const [live] = await waitUntilLive(tenant)
  assert.partialDeepStrictEqual(live?.certificate, { status: 'valid', attempts: 0, lastError: null })
  await assertServed(masthead, [name], { root: await around.pebble.issuerRootPem(), page: 'acme' })
})
