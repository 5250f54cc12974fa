import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { request } from 'node:http'
import { dirname, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { after, before, describe, test } from 'node:test'
import { promisify } from 'node:util'
import { tarGz } from '@masthead/testing/clients/tar-gz.ts'
import { freePort } from '@masthead/testing/free-port.ts'
import { MastheadProcess } from '@masthead/testing/masthead-process.ts'
import { requirePeer, skipWithout } from '@masthead/testing/peers/peers.ts'
import { type PostgresSchema, postgresSchema } from '@masthead/testing/peers/postgres.ts'
import { type RunningSwift, startSwift } from '@masthead/testing/peers/swift.ts'
import { type SupervisedProcess, startSupervised } from '@masthead/testing/supervised-process.ts'
import { temporaryFolder } from '@masthead/testing/temporary-folder.ts'
import { until } from '@masthead/testing/until.ts'
import {
  fill,
  readCompose,
  readKubernetes,
  type Variables,
  variablesOf,
} from './reference-installations.test-kit.ts'

const page = 'From the files that we offer'
const platform = 'pages.example.com'
const operatorKey = 'x'.repeat(64)

interface Answer {
  status: number
  body: string
}

/** As a load balancer or a visitor asks, whatever DNS says. */
function ask(port: number, path: string, host = '127.0.0.1'): Promise<Answer> {
  const { promise, resolve, reject } = Promise.withResolvers<Answer>()
  request({ host: '127.0.0.1', port, path, headers: { host }, agent: false })
    .on('error', reject)
    .on('response', (response) => {
      text(response).then((body) => resolve({ status: response.statusCode ?? 0, body }), reject)
    })
    .end()
  return promise
}

async function publish(port: number, slug: string): Promise<void> {
  const api = async (path: string, key: string, type: string, body: string | Uint8Array<ArrayBuffer>) => {
    const headers = { authorization: `Bearer ${key}`, 'content-type': type }
    const answer = await fetch(`http://127.0.0.1:${port}/v1/${path}`, { method: 'POST', headers, body })
    assert.equal(answer.status, 201, await answer.clone().text())
    return (await answer.json()) as { key: { secret: string } }
  }
  const account = JSON.stringify({ name: slug, plan: 'pro' })
  const { key } = await api('operator/accounts', operatorKey, 'application/json', account)
  await api('projects', key.secret, 'application/json', JSON.stringify({ slug }))
  await api(`projects/${slug}/deployments`, key.secret, 'application/gzip', tarGz({ 'index.html': page }))
}

/** What the files leave to others: where things are, and a CA that can be reached from here. */
describe('over PostgreSQL, Redis and S3', {
  skip: skipWithout('postgresql', 'redis', 'swift', 'haproxy'),
}, () => {
  const { services, configs } = readCompose()
  let schema: PostgresSchema
  let swift: RunningSwift
  let redis: SupervisedProcess
  let redisPort: number
  let places: Variables

  before(async () => {
    schema = await postgresSchema()
    swift = await startSwift()
    await swift.createBucket('masthead')
    redisPort = await freePort()
    const folder = await temporaryFolder('masthead-reference-redis')
    const [, ...flags] = (services.redis?.command ?? []).map((word) => fill({ word }).word ?? '')
    const here = ['--port', String(redisPort), '--bind', '127.0.0.1', '--dir', folder.path]
    const command = [requirePeer('redis'), ...flags, ...here]
    redis = await startSupervised({ command, folder: folder.path, ports: [redisPort] })
    places = {
      ...swift.settings,
      DATABASE_URL: schema.url,
      REDIS_URL: `redis://:r@127.0.0.1:${redisPort}`,
      MASTHEAD_CA: 'internal',
      MASTHEAD_LAB_PORT: 'off',
    }
  })
  after(async () => {
    await redis?.stop()
    await schema?.drop()
    await swift?.[Symbol.asyncDispose]()
  })

  /** On free ports, and otherwise with these variables. */
  async function start(variables: Variables): Promise<MastheadProcess> {
    const { MASTHEAD_HTTP_PORT: _http, MASTHEAD_HTTPS_PORT: _https, ...env } = variables
    for (const name of Object.keys(swift.settings))
      if (name !== 'MASTHEAD_S3_REGION') assert.ok(name in env, name)
    return MastheadProcess.start({ env: { ...env, ...places } })
  }

  test('the health checks of the compose file pass', async () => {
    const [kind, program, ...args] = services.redis?.healthcheck?.test ?? []
    assert.deepEqual([kind, program], ['CMD', 'valkey-cli'])
    // With the password it was started with, it answers this even to those who do not have it.
    const cli = join(dirname(requirePeer('redis')), 'redis-cli')
    await promisify(execFile)(cli, ['-p', String(redisPort), ...args])
    const [, ready = '', ...flags] = services.postgres?.healthcheck?.test ?? []
    const { hostname, port } = new URL(schema.url)
    const programs = dirname(requirePeer('postgresql'))
    await promisify(execFile)(join(programs, ready), ['-h', hostname, '-p', port, ...flags])
  })

  test('the nodes of the compose file serve a site through its balancer, also while one of them stops', async () => {
    const variables = fill(services['node-1']?.environment ?? {})
    await using one = await start(variables)
    await using two = await start(variables)
    const [httpPort, httpsPort] = [await freePort(), await freePort()]
    const config = [
      [/bind :80$/m, `bind 127.0.0.1:${httpPort}`],
      [/bind :443$/m, `bind 127.0.0.1:${httpsPort}`],
      ...[one, two].flatMap((node, index) => [
        [`node-${index + 1}:80 check`, `127.0.0.1:${node.httpPort} check`],
        [`node-${index + 1}:443 check port 80`, `127.0.0.1:${node.httpsPort} check port ${node.httpPort}`],
      ]),
    ].reduce(
      (content, [from = '', to = '']) => content.replace(from, String(to)),
      configs.balancer?.content ?? '',
    )
    const folder = await temporaryFolder('masthead-reference-balancer')
    const file = join(folder.path, 'haproxy.cfg')
    await writeFile(file, config)
    const command = [requirePeer('haproxy'), '-db', '-f', file]
    const balancer = await startSupervised({ command, folder: folder.path, ports: [httpPort, httpsPort] })
    try {
      await until(async () => (await ask(httpPort, '/readyz').catch(() => null))?.status === 200)
      await publish(httpPort, 'composed')
      const host = `composed.${platform}`
      for (const port of [one.httpPort, two.httpPort])
        await until(async () => (await ask(port, '/', host)).body === page)
      let hasStopped = false
      const stopping = one.kill('SIGTERM').then(() => {
        hasStopped = true
      })
      while (!hasStopped) assert.deepEqual(await ask(httpPort, '/', host), { status: 200, body: page })
      await stopping
      assert.equal(await one.ended(), 0)
      assert.deepEqual(await ask(httpPort, '/', host), { status: 200, body: page })
    } finally {
      await balancer.stop()
    }
  })

  test('the pods of the Kubernetes manifest answer their probes, and the edge serves what the API publishes', async () => {
    const all = readKubernetes()
    const containers = all('Deployment').map(({ spec }) => spec.template.spec.containers[0] ?? assert.fail())
    const [edge, api] = await Promise.all(containers.map((container) => start(variablesOf(all, container))))
    assert.ok(edge !== undefined && api !== undefined)
    try {
      for (const [index, { readinessProbe, livenessProbe, startupProbe }] of containers.entries()) {
        const port: number = [edge, api][index]?.httpPort ?? 0
        for (const { httpGet } of [readinessProbe, livenessProbe, startupProbe])
          assert.equal((await ask(port, httpGet.path)).status, 200, httpGet.path)
      }
      await publish(api.httpPort, 'podded')
      for (const { httpPort } of [edge, api])
        await until(async () => (await ask(httpPort, '/', `podded.${platform}`)).body === page)
      assert.equal((await ask(edge.httpPort, '/v1/whoami', 'masthead.example.net')).status, 404)
    } finally {
      await Promise.all([edge.stop(), api.stop()])
    }
  })
})
