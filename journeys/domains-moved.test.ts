import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { Resolver } from 'node:dns/promises'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { createServer, get } from 'node:https'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { freeDnsPort } from '@masthead/testing/free-port.ts'
import { MastheadProcess } from '@masthead/testing/masthead-process.ts'
import { startKnot } from '@masthead/testing/peers/knot.ts'
import { borrowPebble } from '@masthead/testing/peers/pebble/borrow-pebble.ts'
import { requirePeer, skipWithout } from '@masthead/testing/peers/peers.ts'
import { startUnbound } from '@masthead/testing/peers/resolvers/unbound.ts'
import { temporaryFolder } from '@masthead/testing/temporary-folder.ts'
import { until } from '@masthead/testing/until.ts'
import { createTenant, requiredRecord } from './tenant.ts'

const name = 'www.acme.test'
const oldAddress = '127.0.0.2'

/** The server that the site leaves, with a certificate of its own. */
async function startOldServer(port: number) {
  await using folder = await temporaryFolder('masthead-old-server')
  const request = 'req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 30 -subj /CN=old'
  const words = [...request.split(' '), '-addext', `subjectAltName=DNS:${name}`]
  const files = ['-keyout', 'key.pem', '-out', 'cert.pem']
  await promisify(execFile)(requirePeer('openssl'), [...words, ...files], { cwd: folder.path })
  const [key, cert] = await Promise.all(
    ['key.pem', 'cert.pem'].map((file) => readFile(join(folder.path, file), 'utf8')),
  )
  assert.ok(key !== undefined && cert !== undefined)
  const server = createServer({ key, cert }, (_request, response) => response.end('old')).listen(
    port,
    oldAddress,
  )
  await once(server, 'listening')
  return { cert, [Symbol.dispose]: () => server.close().closeAllConnections() }
}

/** Twenty visitors a second, each with a connection of their own to where DNS leads. */
function startVisits(resolver: Resolver, port: number, roots: string[]) {
  const seen: Record<string, number> = {}
  const failures: string[] = []
  const underWay = new Set<Promise<void>>()
  async function visit(): Promise<void> {
    try {
      const [host] = await resolver.resolve4(name)
      const answer = await new Promise<string>((resolve, reject) => {
        const options = { host, port, servername: name, headers: { host: name }, ca: roots, agent: false }
        get({ ...options, signal: AbortSignal.timeout(30_000) }, (response) => {
          if (response.statusCode !== 200) reject(new Error(`status ${response.statusCode}`))
          text(response).then(resolve, reject)
        }).on('error', reject)
      })
      seen[answer] = (seen[answer] ?? 0) + 1
    } catch (error) {
      failures.push(String(error))
    }
  }
  const timer = setInterval(() => {
    const one = visit().finally(() => underWay.delete(one))
    underWay.add(one)
  }, 50)
  return {
    seen,
    failures,
    async stop() {
      clearInterval(timer)
      await Promise.all(underWay)
    },
  }
}

test('a site moves here from another server without a failed request, its certificate prepared first', {
  skip: skipWithout('pebble', 'knot', 'unbound', 'openssl'),
  timeout: 300_000,
}, async (t) => {
  await using pebble = await borrowPebble()
  const { httpPort: http, tlsPort: https } = pebble
  const dnsPort = await freeDnsPort('127.0.0.1')
  using old = await startOldServer(https)
  const platform = `*.cname 1 A 127.0.0.1\nacme NS ns.acme\nns.acme A 127.0.0.1`
  const before = `www 1 A ${oldAddress}`
  await using knot = await startKnot({ zones: { 'acme.test': before, 'masthead.test': platform } })
  const zones = {
    'acme.test': knot,
    'masthead.test': knot,
    'acme.masthead.test': { address: '127.0.0.1', port: dnsPort },
  }
  await using resolver = await startUnbound(zones, pebble.dnsPort)
  await using masthead = await MastheadProcess.start({
    ports: { http, https },
    apiHost: '127.0.0.1',
    env: {
      MASTHEAD_PLATFORM_DOMAIN: 'masthead.test',
      MASTHEAD_DNS_SERVERS: resolver.server,
      MASTHEAD_DNS_PORT: String(knot.port),
      MASTHEAD_DNS_LISTEN: `127.0.0.1:${dnsPort}`,
      MASTHEAD_CA: pebble.directoryUrl,
      MASTHEAD_CA_ROOTS: pebble.rootsFile,
    },
  })
  const tenant = await createTenant(masthead, 'acme')
  const added = await tenant.add(name)
  const record = added.preparation?.record ?? assert.fail('the domain cannot be prepared')
  assert.equal(record.fqdn, `_acme-challenge.${name}`)

  const asking = new Resolver({ timeout: 5_000 })
  asking.setServers([resolver.server])
  const visits = startVisits(asking, https, [old.cert, await pebble.issuerRootPem()])
  await until(() => (visits.seen.old ?? 0) > 20)

  const delegated = `${before}\n${record.name} 1 CNAME ${record.value}.`
  await knot.setZone('acme.test', delegated)
  await tenant.verify(name)
  await until(async () => (await tenant.domain(name)).preparation?.ready === true)
  const prepared = await tenant.domain(name)
  assert.equal(prepared.state, 'prepared')
  assert.equal(prepared.certificate.status, 'valid')
  assert.equal(visits.seen.acme, undefined)

  await knot.setZone(
    'acme.test',
    `www 1 CNAME ${requiredRecord(added, 'CNAME')}.\n${record.name} 1 CNAME ${record.value}.`,
  )
  await until(() => (visits.seen.acme ?? 0) > 50)
  await until(async () => (await tenant.domain(name)).state === 'live')
  await visits.stop()
  t.diagnostic(`visits: ${JSON.stringify(visits.seen)}`)
  assert.deepEqual(visits.failures, [])
  assert.equal(pebble.ordersMade(), 1)
  const { items } = await tenant.client.listTimeline({ params: { project: 'acme', hostname: name } })
  const story = items.filter(({ kind }) => kind !== 'checked' && kind !== 'probed').toReversed()
  assert.deepEqual(
    story.map(({ kind }) => kind),
    ['added', 'prepared', 'certificate_ordered', 'certificate_issued', 'verified', 'live'],
  )
})
