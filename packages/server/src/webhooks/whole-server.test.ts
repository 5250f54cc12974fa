import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { createServer as createHttpsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { describe, test } from 'node:test'
import { promisify } from 'node:util'
import { createPublisher } from '@masthead/testing/clients/publisher.ts'
import { MastheadProcess } from '@masthead/testing/masthead-process.ts'
import { requirePeer, skipWithout } from '@masthead/testing/peers/peers.ts'
import { temporaryFolder } from '@masthead/testing/temporary-folder.ts'
import { until } from '@masthead/testing/until.ts'
import pg from 'pg'
import { Webhook } from 'standardwebhooks'
import { migratedPostgres } from '../database/each-database.test-kit.ts'
import { startReceiver } from './webhooks.test-kit.ts'

const projects = 10
const eventsPerProject = 100
type Mode = 'accept' | 'fail' | 'redirect' | 'hang'

/** An endpoint that does what the test says, and notes which events it accepted, each once and in order. */
async function startEndpoint() {
  const accepted = new Map<string, Set<string>>()
  const requests: Record<Mode, number> = { accept: 0, fail: 0, redirect: 0, hang: 0 }
  let wentElsewhere = 0
  const elsewhere = await startReceiver((_message, _req, res) => {
    wentElsewhere++
    res.end()
  })
  const state = { mode: 'accept' as Mode, onAccepted: (_count: number) => {} }
  const count = () => [...accepted.values()].reduce((sum, ids) => sum + ids.size, 0)
  const receiver = await startReceiver(({ id, resource, type }, _req, res) => {
    const { mode } = state
    requests[mode]++
    if (mode === 'hang') return
    if (mode === 'fail') return void res.writeHead(500).end('not now')
    if (mode === 'redirect') {
      const location = requests.redirect % 2 === 0 ? 'http://169.254.169.254/' : elsewhere.url
      return void res.writeHead(307, { location }).end()
    }
    if (type !== 'webhook.test') accepted.set(resource, (accepted.get(resource) ?? new Set()).add(id))
    res.writeHead(204).end()
    state.onAccepted(count())
  })
  return Object.assign(state, {
    receiver,
    accepted,
    requests,
    count,
    wentElsewhere: () => wentElsewhere,
    async [Symbol.asyncDispose]() {
      await receiver[Symbol.asyncDispose]()
      await elsewhere[Symbol.asyncDispose]()
    },
  })
}

/** An account that speaks to any of the servers, and tries again while one is being killed. */
async function openAccount(nodes: readonly [MastheadProcess, ...MastheadProcess[]]) {
  const { key } = await createPublisher(nodes[0])
  async function call<T>(route: string, body?: object, node = nodes[0]): Promise<T> {
    const [method = '', path = ''] = route.split(' ')
    const headers = { authorization: `Bearer ${key}`, ...(body && { 'content-type': 'application/json' }) }
    const init = { method, headers, ...(body && { body: JSON.stringify(body) }) }
    const answer = await fetch(`${node.origin}${path}`, init)
    if (!answer.ok) throw new Error(`${route}: ${answer.status} ${await answer.text()}`)
    return (await answer.json()) as T
  }
  async function insist(route: string, body: object | undefined, index: number): Promise<void> {
    await until(
      async () =>
        call(route, body, nodes[index++ % nodes.length]).then(
          () => true,
          () => false,
        ),
      { everyMs: 50 },
    )
  }
  return { call, insist }
}

type Account = Awaited<ReturnType<typeof openAccount>>

/** Changes every project over and over, each change after the answer to the one before. */
async function changeProjects({ call, insist }: Account): Promise<void> {
  await Promise.all(
    Array.from({ length: projects }, async (_, number) => {
      const { id } = await call<{ id: string }>('POST /v1/projects', { slug: `site-${number}` })
      for (let change = 1; change < eventsPerProject; change++)
        await insist(`PATCH /v1/projects/${id}`, { name: `Change ${change}` }, number + change)
    }),
  )
}

interface Event {
  id: string
  projectId: string | null
}

/** Every event of the account by project, oldest first, as the API lists them. */
async function listEvents({ call }: Account): Promise<Map<string, string[]>> {
  const events: Event[] = []
  for (let next: string | null = ''; next !== null; ) {
    const page: { items: Event[]; next: string | null } = await call(`GET /v1/events?limit=100${next}`)
    events.push(...page.items)
    next = page.next === null ? null : `&cursor=${page.next}`
  }
  const ofProjects = events.filter(({ projectId }) => projectId !== null).reverse()
  const byProject = Map.groupBy(ofProjects, ({ projectId }) => String(projectId))
  return new Map([...byProject].map(([project, found]) => [project, found.map(({ id }) => id)]))
}

/** Fails, redirects and hangs while events pour in. Resolves when an attempt hangs. */
async function misbehave(
  { call }: Account,
  endpoint: Awaited<ReturnType<typeof startEndpoint>>,
  webhook: string,
): Promise<void> {
  await until(() => endpoint.count() >= 150)
  endpoint.mode = 'fail'
  const state = async () => (await call<{ state: string }>(`GET /v1/webhooks/${webhook}`)).state
  await until(async () => endpoint.requests.fail >= 5 && (await state()) === 'failing')
  for (const mode of ['redirect', 'redirect', 'hang'] as const) {
    endpoint.mode = mode
    const before = endpoint.requests[mode]
    // The circuit breaker is open by now. A test is sent in spite of it.
    await call(`POST /v1/webhooks/${webhook}/test`)
    await until(() => endpoint.requests[mode] > before)
  }
}

async function assertDelivered(
  account: Account,
  endpoint: Awaited<ReturnType<typeof startEndpoint>>,
): Promise<void> {
  const expected = await listEvents(account)
  assert.equal(expected.size, projects)
  const total = [...expected.values()].reduce((sum, ids) => sum + ids.length, 0)
  assert.ok(total >= projects * eventsPerProject, `${total} events`)
  const ofProjects = () => [...expected.keys()].map((id) => endpoint.accepted.get(id)?.size ?? 0)
  await until(() => ofProjects().reduce((sum, size) => sum + size, 0) >= total)
  for (const [project, ids] of expected) assert.deepEqual([...(endpoint.accepted.get(project) ?? [])], ids)
  assert.deepEqual(endpoint.receiver.faults, [])
  assert.equal(endpoint.wentElsewhere(), 0)
}

const creation = (url: string) => ['POST /v1/webhooks', { url }] as const
interface Created {
  id: string
  secret: string
}

describe('1,000 events to an endpoint that fails, redirects to private addresses, hangs and recovers', {
  timeout: 540_000,
}, () => {
  test('arrive in order per project although the server is killed twice', async () => {
    await using masthead = await MastheadProcess.start({ env: { MASTHEAD_LOG: 'error' } })
    const account = await openAccount([masthead])
    await using endpoint = await startEndpoint()
    const webhook = await account.call<Created>(...creation(endpoint.receiver.url))
    endpoint.receiver.expect(webhook)
    const changes = changeProjects(account)
    await misbehave(account, endpoint, webhook.id)
    await masthead.restart('SIGKILL')
    endpoint.mode = 'accept'
    const half = Promise.withResolvers<void>()
    const enough = endpoint.count() + 200
    endpoint.onAccepted = (count) => {
      if (count >= enough) half.resolve()
    }
    await account.insist(`POST /v1/webhooks/${webhook.id}/test`, undefined, 0)
    await half.promise
    await masthead.restart('SIGKILL')
    await changes
    await assertDelivered(account, endpoint)
  })

  test('arrive in order per project although one of two servers is killed for good', {
    skip: skipWithout('postgresql'),
  }, async () => {
    await using location = await migratedPostgres()
    const env = { DATABASE_URL: location.url, MASTHEAD_LOG: 'error' }
    await using stays = await MastheadProcess.start({ env })
    await using dies = await MastheadProcess.start({ env: { ...env, MASTHEAD_DATA: stays.dataFolder } })
    const account = await openAccount([stays, dies])
    await using endpoint = await startEndpoint()
    const webhook = await account.call<Created>(...creation(endpoint.receiver.url))
    endpoint.receiver.expect(webhook)
    const changes = changeProjects(account)
    await misbehave(account, endpoint, webhook.id)
    endpoint.mode = 'accept'
    const half = Promise.withResolvers<void>()
    const enough = endpoint.count() + 200
    endpoint.onAccepted = (count) => {
      if (count >= enough) half.resolve()
    }
    await account.call(`POST /v1/webhooks/${webhook.id}/test`)
    await half.promise
    await dies.kill()
    await changes
    // The other one has done all it may. What the dead one was at is left, until its leases end: a minute in a moment.
    const isLeased = 'lease_owner is not null and lease_until > 0'
    await using connections = new AsyncDisposableStack()
    const client = connections.adopt(new pg.Client(location.url), (open) => open.end())
    await client.connect()
    const left = `select 1 from webhook_queues where not (${isLeased}) union all select 1 from webhook_outbox`
    await until(async () => (await client.query(left)).rowCount === 0)
    await client.query(`update webhook_queues set lease_until = 1 where ${isLeased}`)
    await assertDelivered(account, endpoint)
  })
})

/** A self-signed certificate for localhost. */
async function selfSigned(
  folder: string,
  name: string,
): Promise<{ key: Buffer; cert: Buffer; path: string }> {
  const [key, path] = [join(folder, `${name}.key`), join(folder, `${name}.pem`)]
  const request = 'req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=localhost'
  const names = ['-addext', 'subjectAltName=DNS:localhost', '-keyout', key, '-out', path]
  await promisify(execFile)(requirePeer('openssl'), [...request.split(' '), ...names])
  return { key: await readFile(key), cert: await readFile(path), path }
}

test('over HTTPS a trusted certificate is accepted, and one that nobody vouches for gets nothing', {
  skip: skipWithout('openssl'),
}, async () => {
  const folder = await temporaryFolder('masthead-webhook-certificates')
  const [trusted, stranger] = await Promise.all(
    ['trusted', 'stranger'].map((name) => selfSigned(folder.path, name)),
  )
  assert.ok(trusted && stranger)
  const env = { NODE_EXTRA_CA_CERTS: trusted.path, MASTHEAD_LOG: 'error' }
  await using masthead = await MastheadProcess.start({ env })
  const { call } = await openAccount([masthead])
  const outcomes = []
  for (const { key, cert } of [trusted, stranger]) {
    const received: { body: string; headers: Record<string, string> }[] = []
    const https = createHttpsServer({ key, cert }, async (incoming, outgoing) => {
      received.push({ body: await text(incoming), headers: incoming.headers as Record<string, string> })
      outgoing.end()
    }).listen(0, '127.0.0.1')
    await once(https, 'listening')
    const { port } = https.address() as AddressInfo
    const { id, secret } = await call<Created>(...creation(`https://localhost:${port}/hook`))
    await call(`POST /v1/webhooks/${id}/test`)
    type Log = { items: { type: string; attempts: { status: number | null; error: string | null }[] }[] }
    let log: Log['items'] = []
    await until(async () => {
      log = (await call<Log>(`GET /v1/webhooks/${id}/deliveries`)).items
      return log.some(({ attempts }) => attempts.length > 0)
    })
    for (const { body, headers } of received) new Webhook(secret).verify(body, headers)
    outcomes.push({
      received: received.length > 0,
      ...log.find(({ attempts }) => attempts.length > 0)?.attempts[0],
    })
    https.closeAllConnections()
    https.close()
    await call(`PATCH /v1/webhooks/${id}`, { enabled: false })
  }
  const [accepted, refused] = outcomes
  assert.deepEqual([accepted?.received, accepted?.status, accepted?.error], [true, 200, null])
  assert.deepEqual([refused?.received, refused?.status], [false, null])
  assert.match(refused?.error ?? '', /certificate is not trusted/)
  await folder.remove()
})
