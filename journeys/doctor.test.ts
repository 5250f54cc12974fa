import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { chmod, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { connect } from 'node:tls'
import { fileURLToPath } from 'node:url'
import type { DoctorReport, Health } from '@masthead/contract/schemas/operator.ts'
import { freePort } from '@masthead/testing/free-port.ts'
import { MastheadProcess } from '@masthead/testing/masthead-process.ts'
import { startKnot } from '@masthead/testing/peers/knot.ts'
import { borrowPebble } from '@masthead/testing/peers/pebble/borrow-pebble.ts'
import { skipWithout } from '@masthead/testing/peers/peers.ts'
import { postgresSchema } from '@masthead/testing/peers/postgres.ts'
import { startRedis } from '@masthead/testing/peers/redis.ts'
import { programEnvironment } from '@masthead/testing/programs.ts'
import { temporaryFolder } from '@masthead/testing/temporary-folder.ts'
import { until } from '@masthead/testing/until.ts'

const program = fileURLToPath(new URL('../packages/server/bin/masthead-server.js', import.meta.url))
const operatorKey = 'the operator key of this journey alone'

/** `masthead-server doctor`, as an operator runs it. */
async function examine(env: Record<string, string>, ...args: string[]) {
  const child = execFile(process.execPath, [program, 'doctor', ...args], {
    env: { ...programEnvironment, ...env },
  })
  let [stdout, stderr] = ['', '']
  child.stdout?.on('data', (text) => (stdout += text))
  child.stderr?.on('data', (text) => (stderr += text))
  const status = await new Promise<number | null>((resolve) => child.on('close', resolve))
  return { status, stdout, stderr }
}

const faultsIn = ({ checks }: DoctorReport) =>
  checks
    .filter(({ status }) => status === 'problem' || status === 'warning')
    .map(({ id, status }) => `${id}: ${status}`)

/** The first handshake orders it, which may take longer than the doctor waits. */
async function hasCertificate(port: number, servername: string): Promise<boolean> {
  const socket = connect({ host: '127.0.0.1', port, servername, rejectUnauthorized: false })
  const isSecured = await once(socket, 'secureConnect').then(
    () => true,
    () => false,
  )
  socket.destroy()
  return isSecured
}

/** A server over PostgreSQL, Redis and an ACME CA, whose names a real name server leads to it. */
async function startInstallation() {
  const schema = await postgresSchema()
  const redis = await startRedis()
  const pebble = await borrowPebble()
  const ports = { http: pebble.httpPort, https: pebble.tlsPort }
  const everything = '@ A 127.0.0.1\n* A 127.0.0.1\n*.cname A 127.0.0.1'
  const dns = await startKnot({
    port: pebble.dnsPort,
    zones: { 'pages.example': everything, 'masthead.example': '@ A 127.0.0.1' },
  })
  const dnsServer = `${dns.address}:${dns.port}`
  const env = {
    DATABASE_URL: schema.url,
    REDIS_URL: redis.url,
    MASTHEAD_PLATFORM_DOMAIN: 'pages.example',
    MASTHEAD_DASHBOARD_HOST: 'masthead.example',
    MASTHEAD_EDGE_ADDRESSES: '127.0.0.1',
    MASTHEAD_CA: pebble.directoryUrl,
    MASTHEAD_CA_ROOTS: pebble.rootsFile,
    MASTHEAD_CA_CONTACT: 'operator@example.com',
    MASTHEAD_DNS_SERVERS: dnsServer,
    MASTHEAD_DNS_PORT: String(dns.port),
    MASTHEAD_OPERATOR_KEY: operatorKey,
  }
  const masthead = await MastheadProcess.start({ env, ports, apiHost: '127.0.0.1' })
  await until(() => hasCertificate(ports.https, env.MASTHEAD_DASHBOARD_HOST))
  const settings = {
    ...env,
    MASTHEAD_DATA: masthead.dataFolder,
    MASTHEAD_HTTP_PORT: String(ports.http),
    MASTHEAD_HTTPS_PORT: String(ports.https),
    MASTHEAD_LAB_PORT: 'off',
  }
  return {
    ...{ schema, redis, dns, pebble, masthead, settings },
    async [Symbol.asyncDispose]() {
      await masthead.stop()
      await dns.stop()
      await pebble[Symbol.asyncDispose]()
      await redis.stop()
      await schema.drop()
    },
  }
}

test('a healthy installation has nothing but good news, from the command and on the health page', {
  skip: skipWithout('postgresql', 'redis', 'knot', 'pebble'),
}, async () => {
  await using installation = await startInstallation()
  const { masthead, settings } = installation
  const report = async (...args: string[]) => {
    const { status, stdout, stderr } = await examine(settings, '--json', ...args)
    assert.equal(stderr, '')
    return { status, stdout, report: JSON.parse(stdout) as DoctorReport }
  }

  // 127.0.0.1 is the one thing here that no visitor could reach.
  const healthy = await report()
  assert.deepEqual([healthy.status, faultsIn(healthy.report)], [0, ['edge-addresses: warning']])
  assert.equal((await report('--strict')).status, 1)
  const screen = await examine(settings)
  assert.match(
    screen.stdout,
    /✓ Visitors +This installation answers at\s+http:\/\/127\.0\.0\.1:\d+ and\s+https:/,
  )
  for (const text of [healthy.stdout, screen.stdout]) assert.ok(!text.includes(operatorKey))

  const health = async () => {
    const headers = { authorization: `Bearer ${operatorKey}` }
    const answer = await fetch(`${masthead.origin}/v1/operator/health`, { headers })
    assert.equal(answer.status, 200)
    return (await answer.json()) as Health
  }
  assert.equal((await health()).doctor, null)
  await until(async () => (await health()).doctor !== null)
  const { doctor } = await health()
  assert.deepEqual(doctor && faultsIn(doctor), ['edge-addresses: warning'])
  assert.deepEqual(
    doctor?.checks.map(({ id }) => id),
    healthy.report.checks.map(({ id }) => id),
  )
})

test('everything that is broken at once is found at once, with the server running or not', {
  skip: skipWithout('postgresql', 'redis', 'knot', 'pebble'),
}, async () => {
  await using installation = await startInstallation()
  const { masthead, dns, pebble, redis, settings } = installation
  assert.equal((await examine(settings)).status, 0)
  await dns.setZone('pages.example', '@ A 127.0.0.1\n*.cname A 127.0.0.99')
  await chmod(masthead.dataFolder, 0o755)
  redis.pause()
  await pebble.stop()
  const broken = async (changes: Record<string, string> = {}) => {
    // Pebble's file went with it.
    const { MASTHEAD_CA_ROOTS: _roots, ...rest } = settings
    const env = { ...rest, ...changes }
    const { status, stdout } = await examine(env, '--json')
    return { status, faults: faultsIn(JSON.parse(stdout)) }
  }
  assert.deepEqual(await broken({ MASTHEAD_TRUSTED_PROXIES: '0.0.0.0/0' }), {
    status: 1,
    faults: [
      'edge-addresses: warning',
      'proxies: problem',
      'dns: problem',
      'ca: problem',
      'redis: problem',
      'permissions: problem',
    ],
  })
  redis.resume()
  await masthead.kill()
  const stopped = await broken({ MASTHEAD_MASTER_KEY: 'A'.repeat(43) })
  assert.deepEqual(stopped.faults, [
    'edge-addresses: warning',
    'dns: problem',
    'ca: problem',
    'permissions: problem',
    'master-key: problem',
  ])
  await installation.schema.query('drop table acme_challenges')
  await installation.schema.query('drop table master_key_check')
  assert.ok((await broken()).faults.includes('dns: problem'))
})

test('settings that the server would refuse are explained', async () => {
  const { status, stdout } = await examine({ MASTHEAD_HTTP_PORT: 'eighty', MASTHEAD_CA_EAB_KID: 'x' })
  assert.equal(status, 1)
  assert.match(
    stdout,
    /✗ Settings +MASTHEAD_[\s\S]* MASTHEAD_HTTP_PORT: "eighty" is not allowed\.\n +→ Use a port/,
  )
  assert.match(stdout, /MASTHEAD_CA_EAB_KID and MASTHEAD_CA_EAB_HMAC_KEY need each other/)
  assert.equal((await examine({}, '--fast')).status, 2)
})

test('a database that cannot be opened is a problem, and not one that the first start creates', async () => {
  await using folder = await temporaryFolder('doctor')
  const data = join(folder.path, 'data')
  const settings = {
    MASTHEAD_HTTP_PORT: String(await freePort()),
    MASTHEAD_HTTPS_PORT: String(await freePort()),
    MASTHEAD_LAB_PORT: 'off',
    MASTHEAD_DATA: data,
  }
  const database = async (env: Record<string, string>) => {
    const { status, stdout } = await examine(env, '--json')
    const { checks } = JSON.parse(stdout) as DoctorReport
    const found = checks.find(({ id }) => id === 'database')
    return { status, faults: faultsIn({ checks, checkedAt: '' }), said: found?.findings[0]?.message ?? '' }
  }
  const missing = await database(settings)
  assert.match(missing.said, /masthead\.db does not exist yet/)
  assert.ok(!missing.faults.includes('database: problem'))

  await mkdir(data, { mode: 0o700 })
  await writeFile(join(data, 'masthead.db'), randomBytes(100_000), { mode: 0o600 })
  const damaged = await database(settings)
  assert.equal(damaged.status, 1)
  assert.deepEqual(damaged.faults, ['database: problem'])
  assert.match(damaged.said, /cannot be opened: file is not a database/)

  const url = 'postgres://masthead@127.0.0.1:1/masthead'
  assert.deepEqual((await database({ ...settings, DATABASE_URL: url })).faults, ['database: problem'])

  const elsewhere = await database({ ...settings, MASTHEAD_DATA: '/dev/null/data' })
  assert.ok(elsewhere.faults.includes('files: problem'), elsewhere.faults.join())
})

test('a running node with another platform domain is named', async () => {
  await using masthead = await MastheadProcess.start()
  const settingsOf = async (env: Record<string, string>) => {
    const { stdout } = await examine({ MASTHEAD_DATA: masthead.dataFolder, ...env }, '--json')
    const { checks } = JSON.parse(stdout) as DoctorReport
    return checks.find(({ id }) => id === 'settings')?.findings.map(({ message }) => message)
  }
  assert.deepEqual(await settingsOf({}), ['No setting contradicts another.'])
  const [other] = (await settingsOf({ MASTHEAD_PLATFORM_DOMAIN: 'other.localhost' })) ?? []
  assert.match(
    other ?? '',
    /\(process \d+\) runs on this database with the platform domain masthead\.localhost/,
  )
})
