import assert from 'node:assert/strict'
import { once } from 'node:events'
import { request } from 'node:http'
import { createServer } from 'node:net'
import { text } from 'node:stream/consumers'
import { describe, test } from 'node:test'
import { OpenConnection } from '@masthead/testing/clients/open-connection.ts'
import { createPublisher } from '@masthead/testing/clients/publisher.ts'
import { tarGz } from '@masthead/testing/clients/tar-gz.ts'
import { newTlsSession } from '@masthead/testing/clients/tls-client.ts'
import { visit, visitHost } from '@masthead/testing/clients/visit.ts'
import { freeDnsPort } from '@masthead/testing/free-port.ts'
import { MastheadProcess } from '@masthead/testing/masthead-process.ts'
import { pauseProcess } from '@masthead/testing/pause-process.ts'
import { skipWithout } from '@masthead/testing/peers/peers.ts'
import { postgresSchema } from '@masthead/testing/peers/postgres.ts'
import { until } from '@masthead/testing/until.ts'
import { createAccount, createTenant, requiredRecord, waitUntilLive } from './tenant.ts'

const domain = 'www.acme.localhost'
const unknownName = 'ERR_SSL_TLSV1_UNRECOGNIZED_NAME'
/** Far more than sockets buffer, so that it is still being sent when the server is asked to stop. */
const large = 'large'.repeat(4_000_000)
const coldSite = tarGz({ 'index.html': 'cold', 'large.bin': large })
const free = { perMinute: 60, asked: 150 }

/** The main process and the edge processes in its log. */
function processes({ output }: MastheadProcess): { main: number; edges: number[] } {
  const lines = [...output.matchAll(/"pid":(\d+).*"edge":(\d+),"msg":"an edge process is serving"/g)]
  return { main: Number(lines[0]?.[1]), edges: lines.map((line) => Number(line[2])) }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

/** Enough connections that every process gets some. */
async function manyConnections(masthead: MastheadProcess, workers: number, stack: DisposableStack) {
  const opening = Array.from({ length: 16 * workers }, () => OpenConnection.to(masthead.httpPort))
  return (await Promise.all(opening)).map((connection) => stack.use(connection))
}

/** As many TLS connections, which all resume a session that began in one of the processes. */
async function manyResumed(
  masthead: MastheadProcess,
  name: string,
  { workers, root, stack }: { workers: number; root: string; stack: DisposableStack },
) {
  const session = await newTlsSession(masthead.httpsPort, name, root)
  const opening = Array.from({ length: 16 * workers }, () =>
    OpenConnection.securelyTo(masthead.httpsPort, name, root, session),
  )
  const connections = (await Promise.all(opening)).map((connection) => stack.use(connection))
  assert.ok(connections.every(({ isResumed }) => isResumed))
  return connections
}

async function answersOf(connections: OpenConnection[], host: string): Promise<Set<string>> {
  const visits = await Promise.all(connections.map((connection) => connection.ask(host)))
  return new Set(visits.map(({ status, body }) => `${status} ${status === 200 ? body : ''}`.trim()))
}

async function checkEdges(workers: number, env: Record<string, string>): Promise<void> {
  await using masthead = await MastheadProcess.start({
    env: {
      MASTHEAD_WORKERS: String(workers),
      // Long enough for the download at the end on a busy machine.
      MASTHEAD_STOP_GRACE: '120',
      MASTHEAD_LAB_PORT: String(await freeDnsPort('127.0.0.1')),
      ...env,
    },
  })
  await until(() => processes(masthead).edges.length === workers)
  const { main, edges } = processes(masthead)

  // Every process serves the site and its custom domain.
  const tenant = await createTenant(masthead, 'acme')
  using stack = new DisposableStack()
  const connections = await manyConnections(masthead, workers, stack)
  const own = 'acme.masthead.localhost'
  assert.deepEqual(await answersOf(connections, own), new Set(['200 acme']))
  assert.deepEqual(await answersOf(connections, domain), new Set(['404']))
  const value = requiredRecord(await tenant.add(domain), 'CNAME')
  await tenant.client.setLabRecord({ params: { name: domain, type: 'CNAME' }, body: { values: [value] } })
  await tenant.verify(domain)
  assert.deepEqual(await answersOf(connections, domain), new Set(['200 acme']))

  // Over HTTPS too, and each process resumes the sessions of the others.
  await waitUntilLive(tenant)
  const root = await tenant.client.getCaRoot()
  const [secured, securedOwn] = [
    await manyResumed(masthead, domain, { workers, root, stack }),
    await manyResumed(masthead, own, { workers, root, stack }),
  ]
  assert.deepEqual(await answersOf(secured, domain), new Set(['200 acme']))
  assert.deepEqual(await answersOf(securedOwn, own), new Set(['200 acme']))

  // Once the API has answered, no process serves the removed domain, on open or new connections.
  const session = await newTlsSession(masthead.httpsPort, domain, root)
  await tenant.remove(domain)
  assert.deepEqual(await answersOf([...connections, ...secured], domain), new Set(['404']))
  const handshakes = Array.from({ length: 16 * workers }, (_, n) =>
    OpenConnection.securelyTo(masthead.httpsPort, domain, root, n % 2 === 0 ? session : undefined),
  )
  for (const handshake of await Promise.allSettled(handshakes)) {
    assert.ok(handshake.status === 'rejected' && handshake.reason.code === unknownName, handshake.status)
  }

  // Limits are exact, whichever process a request goes through.
  const { key } = await createAccount(masthead, 'free')
  const headers = { authorization: `Bearer ${key.secret}` }
  const asked = Array.from({ length: free.asked }, async () => {
    const answer = await fetch(`${masthead.origin}/v1/whoami`, { headers })
    await answer.body?.cancel()
    return answer.status
  })
  const statuses = await Promise.all(asked)
  assert.equal(statuses.filter((status) => status === 200).length, free.perMinute)
  assert.equal(statuses.filter((status) => status === 429).length, free.asked - free.perMinute)

  // While the main process is stopped, sites are served, including cold ones.
  const publisher = await createPublisher(masthead)
  await publisher.createProject('cold')
  await publisher.publishArchive('cold', coldSite)
  pauseProcess(main)
  try {
    assert.deepEqual(await answersOf(connections, own), new Set(['200 acme']))
    assert.deepEqual(await visit(masthead, 'cold', '/'), { status: 200, body: 'cold' })
  } finally {
    process.kill(main, 'SIGCONT')
  }

  // A killed process is replaced. Meanwhile the others serve, and the API works.
  const victim = edges[0] ?? 0
  process.kill(victim, 'SIGKILL')
  await until(() => !isRunning(victim))
  for (let count = 0; count < 20; count++) {
    assert.deepEqual(await visit(masthead, 'acme', '/'), { status: 200, body: 'acme' })
  }
  assert.equal((await publisher.project('cold')).slug, 'cold')
  const kept = await Promise.allSettled(connections.map((connection) => connection.ask(own)))
  assert.equal(new Set(kept.map(({ status }) => status)).size, 2, 'it had some of the connections')
  const resumed = await Promise.allSettled(securedOwn.map((connection) => connection.ask(own)))
  assert.equal(new Set(resumed.map(({ status }) => status)).size, 2, 'it had resumed some, and so had others')
  await until(() => processes(masthead).edges.length === workers + 1)
  using again = new DisposableStack()
  const later = await manyConnections(masthead, workers, again)
  assert.deepEqual(await answersOf(later, own), new Set(['200 acme']))

  // A killed server leaves no process behind and frees its port.
  await masthead.kill('SIGKILL')
  await until(() => !processes(masthead).edges.some(isRunning))
  const other = createServer().listen(masthead.httpPort, '127.0.0.1')
  await once(other, 'listening')
  other.close()
  await once(other, 'close')

  // Asked to stop, it finishes running requests first.
  await masthead.restart()
  assert.equal((await visitHost(masthead, domain)).status, 404)
  const download = request({
    host: '127.0.0.1',
    port: masthead.httpPort,
    path: '/large.bin',
    headers: { host: 'cold.masthead.localhost' },
    agent: false,
  }).end()
  const [answer] = await once(download, 'response')
  const stopped = masthead.kill('SIGTERM')
  const running = () => processes(masthead).edges.filter(isRunning).length
  await until(() => running() === 1)
  assert.ok((await text(answer)) === large)
  await stopped
  assert.equal(running(), 0)
}

describe('several edge processes behave as one', { timeout: 600_000 }, () => {
  for (const workers of [2, 4]) {
    test(`${workers} over SQLite`, () => checkEdges(workers, {}))

    test(`${workers} over PostgreSQL`, { skip: skipWithout('postgresql') }, async () => {
      await using schema = await postgresSchema()
      await checkEdges(workers, { DATABASE_URL: schema.url })
    })
  }
})
