import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { connect } from 'node:tls'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { createClient } from '@masthead/client/client.ts'
import { tarGz } from '@masthead/testing/clients/tar-gz.ts'
import { visit } from '@masthead/testing/clients/visit.ts'
import { freeDnsPort, freePort } from '@masthead/testing/free-port.ts'
import { MastheadProcess } from '@masthead/testing/masthead-process.ts'
import { skipWithout } from '@masthead/testing/peers/peers.ts'
import { postgresSchema } from '@masthead/testing/peers/postgres.ts'
import { startSwift } from '@masthead/testing/peers/swift.ts'
import { programEnvironment } from '@masthead/testing/programs.ts'
import { temporaryFolder } from '@masthead/testing/temporary-folder.ts'
import { assertServed } from './ca-and-dns.ts'
import { createTenant, requiredRecord, type Tenant, waitUntilLive } from './tenant.ts'

const program = fileURLToPath(new URL('../packages/server/bin/masthead-server.js', import.meta.url))
const domain = 'www.acme.localhost'

/** As the operator runs it, with the settings of a server. */
async function mastheadServer(args: readonly string[], env: Record<string, string>): Promise<string> {
  const settings = { ...programEnvironment, ...env }
  const { stdout } = await promisify(execFile)(process.execPath, [program, ...args], { env: settings })
  return stdout
}

async function fingerprint({ httpsPort }: MastheadProcess, root: string): Promise<string> {
  const socket = connect({ host: '127.0.0.1', port: httpsPort, servername: domain, ca: root })
  await once(socket, 'secureConnect')
  const { fingerprint256 } = socket.getPeerCertificate()
  socket.destroy()
  return fingerprint256
}

/** What must be the same wherever the installation runs. */
async function observe(masthead: MastheadProcess, key: string, root: string) {
  const client = createClient({ server: masthead.origin, key })
  const { state, certificate } = await client.getDomain({ params: { project: 'acme', hostname: domain } })
  const { items } = await client.listDeployments({ params: { project: 'acme' } })
  await assertServed(masthead, [domain], { root, page: 'acme' })
  return {
    page: await visit(masthead, 'acme', '/'),
    state,
    certificate,
    fingerprint: await fingerprint(masthead, root),
    deployments: items.map(({ id, files, active }) => ({ id, files, active })),
    root: await client.getCaRoot(),
  }
}

async function goLive(tenant: Tenant): Promise<void> {
  const value = requiredRecord(await tenant.add(domain), 'CNAME')
  await tenant.client.setLabRecord({ params: { name: domain, type: 'CNAME' }, body: { values: [value] } })
  await tenant.verify(domain)
  await waitUntilLive(tenant)
}

/** Publishes one deployment after the other until told to stop. Returns how many. */
function keepPublishing(masthead: MastheadProcess, key: string): () => Promise<number> {
  let isOver = false
  const publishing = (async () => {
    let deployments = 0
    for (; !isOver; deployments++) {
      const archive = tarGz({ 'index.html': `busy ${deployments}`, 'same.txt': 'same' })
      const answer = await fetch(`${masthead.origin}/v1/projects/busy/deployments`, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/gzip' },
        body: archive,
      })
      assert.equal(answer.status, 201, await answer.text())
    }
    return deployments
  })()
  return () => {
    isOver = true
    return publishing
  }
}

test('a laptop becomes a cluster, and its backup a laptop, with the same sites, domains, certificates and keys', {
  skip: skipWithout('postgresql', 'swift'),
  timeout: 300_000,
}, async () => {
  await using folder = await temporaryFolder('masthead-growing-up')
  await using schema = await postgresSchema()
  await using swift = await startSwift()
  const blobs = `s3://${await swift.createBucket()}/sites`
  const s3 = swift.settings
  const [laptop = '', node = '', backup = '', restored = ''] = ['laptop', 'node', 'backup', 'restored'].map(
    (name) => join(folder.path, name),
  )
  const ports = { http: await freePort(), https: await freePort() }
  const lab = { MASTHEAD_LAB_PORT: String(await freeDnsPort('127.0.0.1')) }

  let key: string
  let root: string
  let before: Awaited<ReturnType<typeof observe>>
  {
    await using masthead = await MastheadProcess.start({ dataFolder: laptop, ports, env: lab })
    const tenant = await createTenant(masthead, 'acme')
    await goLive(tenant)
    key = tenant.key
    root = await tenant.client.getCaRoot()
    before = await observe(masthead, key, root)
    const running = mastheadServer(['move', '--to', schema.url], { MASTHEAD_DATA: laptop })
    await assert.rejects(running, /A server is running with .* Stop the server and run this again\./)
  }
  const cluster = {
    ...lab,
    ...s3,
    DATABASE_URL: schema.url,
    MASTHEAD_BLOBS: blobs,
    MASTHEAD_MASTER_KEY: (await readFile(join(laptop, 'master.key'), 'utf8')).trim(),
    MASTHEAD_OPERATOR_KEY: (await readFile(join(laptop, 'operator.key'), 'utf8')).trim(),
  }
  const move = ['move', '--to', schema.url, '--blobs', blobs]
  const said = await mastheadServer(move, { MASTHEAD_DATA: laptop, ...s3 })
  assert.match(said, /^Everything has been moved: /)
  assert.equal(await mastheadServer(move, { MASTHEAD_DATA: laptop, ...s3 }), said, 'finished stays finished')
  for (const secret of [cluster.MASTHEAD_MASTER_KEY, cluster.MASTHEAD_OPERATOR_KEY, swift.secretAccessKey])
    assert.ok(!said.includes(secret))
  {
    await using masthead = await MastheadProcess.start({ dataFolder: node, ports, env: cluster })
    assert.deepEqual(await observe(masthead, key, root), before)
    const operator = createClient({ server: masthead.origin, key: cluster.MASTHEAD_OPERATOR_KEY })
    assert.ok((await operator.listAccounts()).items.length > 0)

    const client = createClient({ server: masthead.origin, key })
    await client.createProject({ body: { slug: 'busy' } })
    const stopPublishing = keepPublishing(masthead, key)
    await mastheadServer(['backup', backup], { ...cluster, MASTHEAD_DATA: node })
    const marker = await readFile(join(backup, 'masthead-backup.json'), 'utf8')
    assert.match(marker, /"installation":"[0-9a-f-]{36}"/, 'the start of the server gave it an id')
    assert.ok((await stopPublishing()) > 0)
  }
  const settings = { MASTHEAD_DATA: restored, MASTHEAD_MASTER_KEY: cluster.MASTHEAD_MASTER_KEY }
  await mastheadServer(['verify', backup], {})
  await mastheadServer(['restore', backup], settings)
  await using masthead = await MastheadProcess.start({
    dataFolder: restored,
    ports,
    env: { ...lab, ...settings },
  })
  assert.deepEqual(await observe(masthead, key, root), before)
  const busy = await visit(masthead, 'busy', '/same.txt')
  assert.ok(
    busy.status === 404 || busy.body === 'same',
    `what was published is whole: ${busy.status} ${busy.body}`,
  )
})
