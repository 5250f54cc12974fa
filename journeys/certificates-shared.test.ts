import assert from 'node:assert/strict'
import { test } from 'node:test'
import { OpenConnection } from '@masthead/testing/clients/open-connection.ts'
import { createPublisher } from '@masthead/testing/clients/publisher.ts'
import { tarGz } from '@masthead/testing/clients/tar-gz.ts'
import { freeDnsPort } from '@masthead/testing/free-port.ts'
import { MastheadProcess } from '@masthead/testing/masthead-process.ts'
import { startKnot } from '@masthead/testing/peers/knot.ts'
import { borrowPebble } from '@masthead/testing/peers/pebble/borrow-pebble.ts'
import { skipWithout } from '@masthead/testing/peers/peers.ts'
import { startUnbound } from '@masthead/testing/peers/resolvers/unbound.ts'
import { until } from '@masthead/testing/until.ts'
import { assertServed } from './ca-and-dns.ts'
import { createTenant, operatorClient } from './tenant.ts'

const zone = 'masthead.test'
const delegated = '* 1 A 127.0.0.1\nacme NS ns.acme\nns.acme A 127.0.0.1'
const first = 'acme.masthead.test'
const patience = { everyMs: 200, atMostMs: 120_000 }

test('with one record all projects share a certificate, and none is without one meanwhile', {
  skip: skipWithout('pebble', 'knot', 'unbound'),
  timeout: 300_000,
}, async () => {
  await using pebble = await borrowPebble()
  const { httpPort: http, tlsPort: https } = pebble
  const dnsPort = await freeDnsPort('127.0.0.1')
  await using knot = await startKnot({ zones: { [zone]: delegated } })
  const zones = { [zone]: knot, [`acme.${zone}`]: { address: '127.0.0.1', port: dnsPort } }
  await using resolver = await startUnbound(zones, pebble.dnsPort)
  await using masthead = await MastheadProcess.start({
    ports: { http, https },
    apiHost: '127.0.0.1',
    env: {
      MASTHEAD_PLATFORM_DOMAIN: zone,
      MASTHEAD_DNS_SERVERS: resolver.server,
      MASTHEAD_DNS_PORT: String(knot.port),
      MASTHEAD_DNS_LISTEN: `127.0.0.1:${dnsPort}`,
      MASTHEAD_CA: pebble.directoryUrl,
      MASTHEAD_CA_ROOTS: pebble.rootsFile,
    },
  })
  const record = `_acme-challenge.${zone} CNAME platform.acme.${zone}`
  assert.ok(masthead.output.includes(record), masthead.output)
  const operator = await operatorClient(masthead)
  const findings = async () => {
    const { doctor } = await operator.getHealth()
    const of = (id: string) => doctor?.checks.find((check) => check.id === id)?.findings[0]
    return { zone: of('challenge-dns'), projects: of('platform-certificate') }
  }
  await until(async () => (await findings()).projects !== undefined, patience)
  const before = await findings()
  assert.match(before.zone?.message ?? '', /is delegated to this server, which answers over UDP and TCP/)
  assert.equal(before.projects?.fix, `Add to DNS: ${record}.`)

  await createTenant(masthead, 'acme')
  const root = await pebble.issuerRootPem()
  await assertServed(masthead, [first], { root, page: 'acme' })
  const certificates = async () =>
    (await operator.listCertificates({ query: { limit: 100 } })).items.map(({ hostname }) => hostname)
  const single = await certificates()
  assert.ok(single.includes(first))

  await knot.setZone(zone, `${delegated}\n_acme-challenge 1 CNAME platform.acme`)
  // The worker looks for the record when it starts, then every minute.
  await masthead.restart()
  const ownServed = assertServed(masthead, [first], { root, page: 'acme' })
  await until(async () => (await certificates()).includes(`*.${zone}`), patience)
  await ownServed

  const publisher = await createPublisher(masthead)
  const names = Array.from({ length: 12 }, (_, index) => `p${index}`)
  for (const slug of names) {
    await publisher.createProject(slug)
    await publisher.publishArchive(slug, tarGz({ 'index.html': slug }))
  }
  const served = await Promise.all(
    names.map(async (slug) => {
      using connection = await OpenConnection.securelyTo(https, `${slug}.${zone}`, root)
      return (await connection.ask(`${slug}.${zone}`)).body
    }),
  )
  assert.deepEqual(served, names)
  await assertServed(masthead, [first], { root, page: 'acme' })
  assert.deepEqual((await certificates()).toSorted(), [...single, `*.${zone}`].toSorted())
  const unknownName = { code: 'ERR_SSL_TLSV1_UNRECOGNIZED_NAME' }
  await assert.rejects(OpenConnection.securelyTo(https, `nobody.${zone}`, root), unknownName)
  await until(async () => (await findings()).projects?.fix === null, patience)
  assert.match(
    (await findings()).projects?.message ?? '',
    /^Projects share a certificate for \*\.masthead\.test/,
  )
})
