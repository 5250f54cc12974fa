import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { OpenConnection } from '@masthead/testing/clients/open-connection.ts'
import { newTlsSession } from '@masthead/testing/clients/tls-client.ts'
import { visitHost } from '@masthead/testing/clients/visit.ts'
import { MastheadProcess } from '@masthead/testing/masthead-process.ts'
import { skipWithout } from '@masthead/testing/peers/peers.ts'
import { postgresSchema } from '@masthead/testing/peers/postgres.ts'
import { startSwift } from '@masthead/testing/peers/swift.ts'
import { createTenant } from './tenant.ts'

const person = { email: 'ada@example.com', password: 'a long password' }
const host = 'acme.masthead.localhost'

async function send(node: MastheadProcess, route: string, headers: Record<string, string>, body?: unknown) {
  const [method = '', path] = route.split(' ')
  const json = body !== undefined && { 'content-type': 'application/json' }
  return fetch(`${node.origin}${path}`, {
    method,
    headers: { origin: node.origin, ...json, ...headers },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
}

async function read<T>(answering: Promise<Response>): Promise<T> {
  const answer = await answering
  const text = await answer.text()
  assert.ok(answer.ok, `${answer.url}: ${answer.status} ${text}`)
  return JSON.parse(text) as T
}

function cookiesOf(answer: Response): { cookie: string } {
  const cookies = answer.headers.getSetCookie().map((cookie) => cookie.split(';')[0])
  return { cookie: cookies.join('; ') }
}

const operatorKey = async ({ dataFolder }: MastheadProcess) =>
  (await readFile(join(dataFolder, 'operator.key'), 'utf8')).trim()
const rootOf = async ({ origin }: MastheadProcess) => (await fetch(`${origin}/v1/ca.pem`)).text()

/** What one node begins, another one finishes. */
async function assertAgree(one: MastheadProcess, other: MastheadProcess, as: { cookie: string }) {
  assert.equal(await operatorKey(one), await operatorKey(other))
  const operator = { authorization: `Bearer ${await operatorKey(one)}` }
  await read(send(other, 'GET /v1/operator/accounts', operator))

  const root = await rootOf(one)
  assert.equal(await rootOf(other), root)
  const session = await newTlsSession(one.httpsPort, host, root)
  using resumed = await OpenConnection.securelyTo(other.httpsPort, host, root, session)
  assert.ok(resumed.isResumed)
  assert.deepEqual(await resumed.ask(host), { status: 200, body: 'acme' })

  await read(send(other, 'GET /v1/person', as))
  const idempotent = { ...as, 'idempotency-key': randomBytes(8).toString('hex') }
  const project = { slug: `p-${randomBytes(4).toString('hex')}` }
  const first = await read(send(one, 'POST /v1/projects', idempotent, project))
  const again = await send(other, 'POST /v1/projects', idempotent, project)
  assert.equal(again.headers.get('idempotent-replayed'), 'true')
  assert.deepEqual(await again.json(), first)

  const email = `${project.slug}@example.com`
  const { url } = await read<{ url: string }>(
    send(one, 'POST /v1/invitations', as, { email, role: 'developer' }),
  )
  const joined = { token: new URL(url).hash.slice(1), name: 'Grace', password: person.password }
  const accepted = await send(other, 'POST /v1/invitations/accept', {}, joined)
  assert.equal(accepted.status, 201)
  await read(send(one, 'GET /v1/person', cookiesOf(accepted)))
}

test('nodes with empty folders of their own agree on everything, and a folder can be lost', {
  skip: skipWithout('postgresql', 'swift'),
  timeout: 300_000,
}, async () => {
  await using schema = await postgresSchema()
  await using swift = await startSwift()
  const env = {
    DATABASE_URL: schema.url,
    MASTHEAD_MASTER_KEY: randomBytes(32).toString('hex'),
    MASTHEAD_BLOBS: `s3://${await swift.createBucket()}`,
    MASTHEAD_S3_ENDPOINT: swift.endpoint,
    AWS_ACCESS_KEY_ID: swift.accessKeyId,
    AWS_SECRET_ACCESS_KEY: swift.secretAccessKey,
  }
  const [first, second] = await Promise.all([MastheadProcess.start({ env }), MastheadProcess.start({ env })])
  await using stops = new AsyncDisposableStack()
  for (const node of [first, second]) stops.use(node)
  await createTenant(first, 'acme')

  // The node that started last has the link that counts.
  const setUp = async (node: MastheadProcess) => {
    const token = new URL(node.firstLink).hash.slice(1)
    return send(node, 'POST /v1/setup', {}, { ...person, name: 'Ada Lovelace', token })
  }
  const attempts = [await setUp(first), await setUp(second)]
  assert.deepEqual(attempts.map(({ status }) => status).toSorted(), [201, 410])
  const created = attempts.find(({ ok }) => ok) ?? assert.fail('no link worked')
  const signedIn = cookiesOf(created)
  await assertAgree(first, second, signedIn)
  await assertAgree(second, first, signedIn)

  await first.kill()
  await rm(first.dataFolder, { recursive: true })
  await first.restart()
  await assertAgree(first, second, signedIn)
  await assertAgree(second, first, signedIn)
  for (const node of [first, second]) {
    assert.deepEqual(await visitHost(node, host), { status: 200, body: 'acme' })
  }
})

test('a node without the master key of the others says what to set, and breaks nothing', {
  skip: skipWithout('postgresql', 'swift'),
  timeout: 300_000,
}, async () => {
  await using schema = await postgresSchema()
  await using swift = await startSwift()
  const blobs = { ...swift.settings, MASTHEAD_BLOBS: `s3://${await swift.createBucket()}` }
  const shared = { DATABASE_URL: schema.url, ...blobs }
  await using first = await MastheadProcess.start({ env: shared })
  assert.match(first.output, /master\.key is the only copy of the master key.*Set MASTHEAD_MASTER_KEY/)
  const key = (await readFile(join(first.dataFolder, 'master.key'), 'utf8')).trim()

  const wrong = randomBytes(32).toString('base64')
  for (const settings of [{}, { MASTHEAD_MASTER_KEY: wrong }]) {
    const starting = MastheadProcess.start({ env: { ...shared, ...settings } })
    await assert.rejects(starting, (error: Error) => {
      assert.match(error.message, /ended with 1/)
      assert.match(error.message, /sealed under master key [0-9a-f]{8}\..*set MASTHEAD_MASTER_KEY to it/)
      assert.ok(!error.message.includes(key) && !error.message.includes(wrong))
      return true
    })
  }

  const env = { ...shared, MASTHEAD_MASTER_KEY: key }
  await using second = await MastheadProcess.start({ env })
  assert.equal(await operatorKey(second), await operatorKey(first))
  assert.equal(await rootOf(second), await rootOf(first))
})
