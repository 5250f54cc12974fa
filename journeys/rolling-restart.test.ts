import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { text } from 'node:stream/consumers'
import { after, before, describe, type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { createClient } from '@masthead/client/client.ts'
import { createPublisher, type Publisher } from '@masthead/testing/clients/publisher.ts'
import { tarGz } from '@masthead/testing/clients/tar-gz.ts'
import { freePort } from '@masthead/testing/free-port.ts'
import { PacedLoad } from '@masthead/testing/load/paced-load.ts'
import { MastheadProcess } from '@masthead/testing/masthead-process.ts'
import { startHaproxy } from '@masthead/testing/peers/haproxy.ts'
import { skipWithout } from '@masthead/testing/peers/peers.ts'
import { postgresSchema } from '@masthead/testing/peers/postgres.ts'
import { until } from '@masthead/testing/until.ts'

const site = 'acme.masthead.localhost'
const page = 'the front page'
const timeout = 300_000
/** Moderate, since other tests run at the same time. `MASTHEAD_LOAD=2000` measures. */
const perSecond = Number(process.env.MASTHEAD_LOAD ?? 200)
const visitors = Math.max(12, perSecond / 20)

interface Ports {
  httpPort: number
  httpsPort: number
}

/** Visitors, calls of the API and uploads, one after the other. */
function startLoad({ httpPort, httpsPort }: Ports, { key }: Publisher, root: string) {
  const ports = { httpPort, httpsPort }
  const target = { ...ports, host: site, path: '/', root, isRight: (shown: string) => shown === page }
  const visits = new PacedLoad(target, { visitors, perSecond, protocols: ['plain', 'tls', 'http2'] })
  const calls = new PacedLoad(
    {
      ...{ ...target, host: 'localhost', path: '/v1/whoami', fields: { authorization: `Bearer ${key}` } },
      isRight: (shown) => shown.includes('account'),
    },
    { visitors: 4, perSecond: 20, protocols: ['plain'] },
  )
  const startedAt = performance.now()
  const isOver = new AbortController()
  const uploads = uploadUntil(isOver.signal, ports, key)
  uploads.catch(() => {})
  const stop = async () => {
    isOver.abort()
    const rate = visits.answered / ((performance.now() - startedAt) / 1000)
    return { rate, visits: await visits.stop(), calls: await calls.stop(), uploads: await uploads }
  }
  return {
    stop,
    isUnderWay: () => visits.answered > perSecond && calls.answered > 10,
    async [Symbol.asyncDispose]() {
      await stop().catch(() => {})
    },
    get answered() {
      return visits.answered
    },
  }
}

/** Each takes more than a second, so that some are under way at any moment. */
async function uploadUntil(signal: AbortSignal, { httpPort: port }: Ports, key: string): Promise<number> {
  const archive = tarGz({ 'index.html': page })
  let done = 0
  while (!signal.aborted) {
    const sending = request({
      ...{ host: '127.0.0.1', port, path: '/v1/projects/acme/deployments', method: 'POST', agent: false },
      headers: {
        host: 'localhost',
        authorization: `Bearer ${key}`,
        'content-type': 'application/gzip',
        'content-length': archive.length,
      },
    })
    const answered = once(sending, 'response')
    for (let from = 0; from < archive.length; from += archive.length / 10) {
      sending.write(archive.subarray(from, Math.min(from + archive.length / 10, archive.length)))
      await sleep(120)
    }
    sending.end()
    const [answer] = (await answered) as [IncomingMessage]
    assert.equal(answer.statusCode, 201, await text(answer))
    done++
  }
  return done
}

async function furnish(masthead: MastheadProcess) {
  const publisher = await createPublisher(masthead)
  await publisher.createProject('acme')
  await publisher.publishArchive('acme', tarGz({ 'index.html': page }))
  const root = await createClient({ server: masthead.origin, key: publisher.key }).getCaRoot()
  return { publisher, root }
}

async function finish(t: TestContext, load: ReturnType<typeof startLoad>) {
  const { rate, visits, calls, uploads } = await load.stop()
  const { answered } = visits
  const failures = [...visits.failures, ...calls.failures]
  const repeated = [...visits.repeated, ...calls.repeated]
  t.diagnostic(
    `${answered} visits (${Math.round(rate)} per second), ${calls.answered} calls and ${uploads} uploads answered; ` +
      `${failures.length} failed, ${repeated.length} asked again`,
  )
  assert.deepEqual({ failures, repeated }, { failures: [], repeated: [] })
  return calls.answered + uploads
}

test('three nodes behind a load balancer restart in turn, and no request fails', {
  skip: skipWithout('postgresql', 'haproxy'),
  timeout,
}, async (t) => {
  await using schema = await postgresSchema()
  // Generous: on a busy machine the load balancer's checks are late too.
  const env = { DATABASE_URL: schema.url, MASTHEAD_DRAIN_DELAY: '3' }
  await using first = await MastheadProcess.start({ env })
  const beside = { ...env, MASTHEAD_DATA: first.dataFolder }
  await using second = await MastheadProcess.start({ env: beside })
  await using third = await MastheadProcess.start({ env: beside })
  const nodes = [first, second, third]
  await using balancer = await startHaproxy(nodes)
  const { publisher, root } = await furnish(first)
  await using load = startLoad(balancer, publisher, root)
  await until(load.isUnderWay)
  for (const node of nodes) {
    const before = load.answered
    await node.restart()
    await until(() => load.answered > before + perSecond)
  }
  await finish(t, load)
  // Each would wait for its drain delay.
  await Promise.all(nodes.map((node) => node.kill()))
})

async function replaceTwice(t: TestContext, masthead: MastheadProcess): Promise<void> {
  const { publisher, root } = await furnish(masthead)
  const client = createClient({ server: masthead.origin, key: publisher.key })
  const { day } = await client.getUsage()
  await using load = startLoad(masthead, publisher, root)
  await until(load.isUnderWay)
  for (let times = 0; times < 2; times++) {
    const answered = load.answered
    assert.equal(await masthead.replace(), 0, masthead.output)
    await until(() => load.answered > answered + perSecond)
  }
  const counted = await finish(t, load)
  // The replaced processes counted some of them.
  await until(async () => (await client.getUsage()).day.used >= day.used + counted + 1)
}

const isServing = async ({ origin }: MastheadProcess) => (await fetch(`${origin}/readyz`)).status === 200

describe('on the same ports and data', () => {
  let masthead: MastheadProcess
  before(async () => {
    masthead = await MastheadProcess.start({ env: { MASTHEAD_WORKERS: '1' } })
  })
  after(() => masthead.stop())

  test('a process replaces another, twice, and no request fails (1 edge)', { timeout }, (t) =>
    replaceTwice(t, masthead),
  )

  test('a process takes nothing over unless it is told to, and a failed one leaves the other serving', {
    timeout,
  }, async () => {
    const uninvited = await masthead.runBeside()
    assert.match(uninvited.output, /EADDRINUSE.*Stop the program that uses the port/)
    assert.equal(uninvited.code, 1)
    assert.ok(await isServing(masthead))

    // It has received the sockets by then.
    const failing = await masthead.runBeside(['--replace'], { MASTHEAD_DNS_LISTEN: '192.0.2.9:5353' })
    assert.equal(failing.code, 1, failing.output)
    assert.ok(await isServing(masthead))
    await until(() => masthead.output.includes('a process that was to replace this one did not start'))
    assert.equal(await masthead.replace(), 0, masthead.output)
    assert.ok(await isServing(masthead))
  })

  test('a process that has nobody to replace just starts', { timeout }, async () => {
    await masthead.kill('SIGKILL')
    await using flagged = await MastheadProcess.start({
      dataFolder: masthead.dataFolder,
      ports: { http: masthead.httpPort, https: masthead.httpsPort },
      flags: ['--replace'],
    })
    assert.ok(await isServing(flagged))
    assert.equal(await flagged.replace(), 0, flagged.output)
  })
})

test('a process replaces another on the same ports, twice, and no request fails (2 edge)', {
  timeout,
}, async (t) => {
  await using masthead = await MastheadProcess.start({ env: { MASTHEAD_WORKERS: '2' } })
  await replaceTwice(t, masthead)
})

test('a process with a port of its own for the lab is replaced too', { timeout }, async () => {
  const env = { MASTHEAD_LAB_PORT: String(await freePort()) }
  await using masthead = await MastheadProcess.start({ env })
  assert.equal(await masthead.replace(), 0, masthead.output)
  assert.ok(await isServing(masthead))
})
