import assert from 'node:assert/strict'
import { rename } from 'node:fs/promises'
import { type IncomingMessage, request } from 'node:http'
import { request as requestSecurely } from 'node:https'
import { connect } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { createClient } from '@masthead/client/client.ts'
import { OpenConnection } from '@masthead/testing/clients/open-connection.ts'
import { createPublisher } from '@masthead/testing/clients/publisher.ts'
import { tarGz } from '@masthead/testing/clients/tar-gz.ts'
import { Http2Connection } from '@masthead/testing/clients/visit.ts'
import { MastheadProcess } from '@masthead/testing/masthead-process.ts'
import { type Metrics, readMetrics } from './read-metrics.ts'
import { createAccount } from './tenant.ts'

const site = 'acme.masthead.localhost'
const dashboard = 'localhost'
/** Too large for the cache, so it is read from disk while it is sent. */
const large = 'large'.repeat(400_000)
const statuses = ['2xx', '3xx', '4xx', '429', '5xx']
const parts = ['api', 'site']
const free = { perMinute: 60, asked: 80 }

interface Asked {
  method?: string
  path?: string
  host?: string
  headers?: Record<string, string>
}

type Ask = (asked: Asked) => Promise<{ status: number; tag: string }>

function readAnswer(response: IncomingMessage) {
  return text(response).then(() => ({
    status: response.statusCode ?? 0,
    tag: String(response.headers.etag ?? ''),
  }))
}

function askPlainly({ httpPort: port }: MastheadProcess): Ask {
  return ({ method = 'GET', path = '/', host = site, headers = {} }) =>
    new Promise((resolve, reject) => {
      const options = { host: '127.0.0.1', port, agent: false, method, path, headers: { ...headers, host } }
      request(options, (response) => readAnswer(response).then(resolve, reject))
        .on('error', reject)
        .end()
    })
}

function askSecurely({ httpsPort: port }: MastheadProcess, ca: string): Ask {
  return ({ method = 'GET', path = '/', host = site, headers = {} }) =>
    new Promise((resolve, reject) => {
      const at = { host: '127.0.0.1', port, servername: site, ca, agent: false }
      requestSecurely({ ...at, method, path, headers: { ...headers, host } }, (response) =>
        readAnswer(response).then(resolve, reject),
      )
        .on('error', reject)
        .end()
    })
}

function askOver(connection: Http2Connection): Ask {
  return async ({ method = 'GET', path = '/', host = site, headers = {} }) => {
    const answer = await connection.ask(host, path, { ':method': method, ...headers })
    return { status: answer.status, tag: String(answer.headers.etag ?? '') }
  }
}

/** What is not HTTP, for a site. */
async function askMalformed({ httpPort: port }: MastheadProcess): Promise<string> {
  const socket = connect({ host: '127.0.0.1', port })
  socket.end(`GET / HTTP/1.1\r\nHost: ${site}\r\nNo colon\r\n\r\n`)
  return text(socket)
}

function counted(metrics: Metrics, part: string): Record<string, number> {
  const entries = statuses.map((status) => [
    status,
    metrics.sum(`masthead_responses_total{part="${part}",status="${status}"}`),
  ])
  return Object.fromEntries(entries)
}

function verdicts(metrics: Metrics, verdict: 'admitted' | 'rejected' | 'banned'): number {
  return metrics.sum(`masthead_limits_verdicts_total{verdict="${verdict}"}`)
}

function difference(before: Record<string, number>, after: Record<string, number>): Record<string, number> {
  return Object.fromEntries(statuses.map((status) => [status, (after[status] ?? 0) - (before[status] ?? 0)]))
}

for (const workers of [1, 2]) {
  test(`every answer is counted by part and status, with ${workers} edge processes`, {
    timeout: 300_000,
  }, async () => {
    await using masthead = await MastheadProcess.start({
      env: { MASTHEAD_WORKERS: String(workers), MASTHEAD_TRUSTED_PROXIES: '127.0.0.1' },
      apiHost: '127.0.0.1',
    })
    const read = () => readMetrics(masthead, workers === 1 ? 0 : workers)
    const publisher = await createPublisher(masthead)
    await publisher.createProject('acme')
    await publisher.publishArchive('acme', tarGz({ 'index.html': 'front', 'large.bin': large }))
    const root = await createClient({ server: masthead.origin, key: publisher.key }).getCaRoot()
    using http2 = await Http2Connection.to(masthead.httpsPort, site, root)
    const clients = [askPlainly(masthead), askSecurely(masthead, root), askOver(http2)]

    const start = await read()
    for (const ask of clients) {
      const { status, tag } = await ask({})
      assert.equal(status, 200)
      assert.equal((await ask({ method: 'HEAD' })).status, 200)
      assert.equal((await ask({ path: '/large.bin' })).status, 200)
      assert.equal((await ask({ headers: { range: 'bytes=0-1' } })).status, 206)
      assert.equal((await ask({ headers: { 'if-none-match': tag } })).status, 304)
      assert.equal((await ask({ path: '/missing' })).status, 404)
      assert.equal((await ask({ method: 'DELETE' })).status, 405)
    }
    assert.match(await askMalformed(masthead), /^HTTP\/1\.1 400 /)
    // A connection of a proxy goes to node:http with the first request for the dashboard's host, and stays there.
    using proxied = await OpenConnection.to(masthead.httpPort)
    assert.equal((await proxied.ask('127.0.0.1', '/healthz')).status, 200)
    assert.equal((await proxied.ask(site)).body, 'front')
    assert.equal((await proxied.ask(site, '/large.bin')).body, large)
    assert.equal((await proxied.ask(site, '/missing')).status, 404)
    const served = await read()
    assert.deepEqual(difference(counted(start, 'site'), counted(served, 'site')), {
      ...{ '2xx': 14, '3xx': 3, '4xx': 8, '429': 0, '5xx': 0 },
    })
    const durations = 'masthead_api_duration_seconds'
    assert.equal(served.sum(`${durations}_count`), start.sum(`${durations}_count`), 'nobody asked the API')

    // The database still knows the site, and its files are gone.
    const blobs = join(masthead.dataFolder, 'blobs')
    await rename(blobs, `${blobs}-away`)
    for (const ask of clients) {
      for (let n = 0; n < 5; n++) assert.equal((await ask({ path: '/large.bin' })).status, 503)
    }
    const broken = await read()
    assert.deepEqual(difference(counted(served, 'site'), counted(broken, 'site')), {
      ...{ '2xx': 0, '3xx': 0, '4xx': 0, '429': 0, '5xx': 15 },
    })

    const { key } = await createAccount(masthead, 'free')
    const created = await read()
    const byOperator = created.sum(`${durations}_count`) - broken.sum(`${durations}_count`)
    assert.ok(byOperator > 0)
    assert.equal(verdicts(created, 'admitted') - verdicts(broken, 'admitted'), byOperator)
    const startedAt = performance.now()
    const asked = await Promise.all(
      Array.from({ length: free.asked }, () =>
        fetch(`${masthead.origin}/v1/projects`, { headers: { authorization: `Bearer ${key.secret}` } }),
      ),
    )
    assert.equal(asked.filter(({ status }) => status === 429).length, free.asked - free.perMinute)
    const longest = (performance.now() - startedAt) / 1_000
    const limited = await read()
    const api = difference(counted(created, 'api'), counted(limited, 'api'))
    assert.equal(api['429'], free.asked - free.perMinute)
    assert.ok((api['2xx'] ?? 0) >= free.perMinute, JSON.stringify(api))
    assert.equal(api['4xx'], 0)
    assert.equal(verdicts(limited, 'rejected') - verdicts(created, 'rejected'), free.asked - free.perMinute)
    assert.equal(verdicts(limited, 'banned'), 0)
    assert.ok(verdicts(limited, 'admitted') >= verdicts(created, 'admitted') + free.perMinute)
    assert.equal(limited.sum(`${durations}_count`) - created.sum(`${durations}_count`), free.asked)
    assert.ok(limited.sum(`${durations}_bucket{le="+Inf"}`) >= free.asked)
    const took = limited.sum(`${durations}_sum`) - created.sum(`${durations}_sum`)
    assert.ok(took > 0 && took <= longest * free.asked, `${took} of ${longest} seconds each`)

    using secure = await Http2Connection.to(masthead.httpsPort, dashboard, root)
    assert.equal((await secure.ask(dashboard, '/v1/projects')).status, 401)
    const refused = await read()
    assert.equal(difference(counted(limited, 'api'), counted(refused, 'api'))['4xx'], 1)
    assert.equal(verdicts(refused, 'admitted') - verdicts(limited, 'admitted'), 1)
    assert.equal(refused.sum(`${durations}_count`) - limited.sum(`${durations}_count`), 1)

    // Strangers choose none of the labels.
    const [plainly = assert.fail()] = clients
    for (const method of ['GET', 'PROPFIND', 'POST']) {
      for (const host of [site, 'x"} 1', 'evil.example', '127.0.0.1']) {
        await plainly({ method, host, path: `/${method}?status="9xx"` })
      }
    }
    const series = [...(await read()).series()]
    assert.deepEqual(
      series.filter((name) => name.startsWith('masthead_responses_total')).sort(),
      parts
        .flatMap((part) =>
          statuses.map((status) => `masthead_responses_total{part="${part}",status="${status}"}`),
        )
        .sort(),
    )
    assert.equal(series.filter((name) => name.startsWith(`${durations}_bucket`)).length, 7)
  })
}
