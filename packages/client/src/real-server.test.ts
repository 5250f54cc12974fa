import assert from 'node:assert/strict'
import { X509Certificate } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { problems } from '@masthead/contract/problems.ts'
import { awayFromMidnight } from '@masthead/testing/away-from-midnight.ts'
import { requestUntil } from '@masthead/testing/clients/request-until.ts'
import { tarGz } from '@masthead/testing/clients/tar-gz.ts'
import { MastheadProcess } from '@masthead/testing/masthead-process.ts'
import { startFaultProxy } from '@masthead/testing/peers/fault-proxy.ts'
import { type Client, type ClientOptions, createClient } from './client.ts'
import { ProblemError } from './errors.ts'
import { paginate } from './paginate.ts'
import { defaultRetryPolicy } from './retry.ts'

let masthead: MastheadProcess
let operator: Client
before(async () => {
  masthead = await MastheadProcess.start({ env: { MASTHEAD_LOG: 'warn' } })
  const key = (await readFile(join(masthead.dataFolder, 'operator.key'), 'utf8')).trim()
  operator = createClient({ server: masthead.origin, key })
})
after(() => masthead.stop())

/** A client of a new account. It does not wait, and counts its requests and waits. */
async function newClient(limits = { perMinute: 1000, perDay: 10_000 }) {
  const { account, key } = await operator.createAccount({ body: { name: 'Acme', plan: 'enterprise' } })
  await operator.setAccountPlan({ params: { account: account.id }, body: { plan: 'enterprise', limits } })
  const seen = { requests: [] as { url: string; headers: Headers }[], waits: [] as number[] }
  const options: ClientOptions = {
    server: masthead.origin,
    key: key.secret,
    fetch: (url, init) => {
      seen.requests.push({ url: String(url), headers: new Headers(init?.headers) })
      return fetch(url, init)
    },
    sleep: async (ms) => {
      seen.waits.push(ms)
    },
  }
  return { client: createClient(options), key: key.secret, ...seen }
}

const publish = (client: Client, project: string, content: string) =>
  client.createDeployment({
    params: { project },
    archive: tarGz({ 'index.html': content }),
    type: 'application/gzip',
  })

test('a versioned answer comes with its ETag, which a change can be conditional on', async () => {
  const { client, requests } = await newClient()
  const params = { project: 'versioned' }
  await client.createProject({ body: { slug: 'versioned' } })
  await publish(client, 'versioned', 'hi')
  for (const hostname of ['a.example', 'b.example']) await client.addDomain({ params, body: { hostname } })
  requests.length = 0
  const { etag } = await client.getDomainConfig({ params })
  const domains = { primary: 'a.example', redirects: [] }
  const changed = await client.putDomainConfig({ params, body: { domains }, ifMatch: etag })
  assert.ok(etag)
  assert.notEqual(changed.etag, etag)
  const overtaken = client.putDomainConfig({
    params,
    body: { domains: { primary: 'b.example', redirects: [] } },
    ifMatch: etag,
  })
  await assert.rejects(overtaken, { code: 'domain_config_changed' })
  const without = await client.putDomainConfig({ params, body: { domains }, ifMatch: null })
  assert.equal(without.etag, changed.etag)
  assert.deepEqual(
    requests.map(({ headers }) => headers.get('if-match')),
    [null, etag, etag, null],
  )
})

test('a banned key fails at once and the server is left alone', async () => {
  const { client, key, requests, waits } = await newClient({ perMinute: 1, perDay: 1000 })
  await requestUntil('key_banned', { origin: masthead.origin, key })
  await assert.rejects(client.getAccount(), (error) => {
    assert.ok(error instanceof ProblemError)
    assert.equal(error.code, 'key_banned')
    assert.ok((error.retryAfterMs ?? 0) > 60_000)
    return true
  })
  assert.deepEqual([requests.length, waits], [1, []])
})

test('a Retry-After longer than the client waits fails at once', async () => {
  await awayFromMidnight(defaultRetryPolicy.totalMs + 60_000)
  const { client, key, requests, waits } = await newClient({ perMinute: 1000, perDay: 2 })
  await requestUntil('rate_limited', { origin: masthead.origin, key })
  await assert.rejects(client.getAccount(), (error) => {
    assert.ok(error instanceof ProblemError)
    assert.equal(error.code, 'rate_limited')
    assert.ok((error.retryAfterMs ?? 0) > defaultRetryPolicy.totalMs)
    return true
  })
  assert.deepEqual([requests.length, waits], [1, []])
})

test('a problem document becomes an error with its members and the fix from the contract', async () => {
  const [first, second] = [await newClient(), await newClient()]
  await first.client.createProject({ body: { slug: 'taken' } })
  await assert.rejects(second.client.createProject({ body: { slug: 'taken' } }), (error) => {
    assert.ok(error instanceof ProblemError)
    const { code, status, title, fix, detail, message, requestId, document } = error
    assert.deepEqual({ code, status, title, fix }, { code: 'slug_taken', ...problems.slug_taken })
    assert.match(detail, /\btaken\b/)
    assert.equal(message, detail)
    assert.match(requestId, /^req_\w+$/)
    assert.deepEqual([document.detail, document.requestId], [detail, requestId])
    return true
  })
  await assert.rejects(second.client.createProject({ body: { slug: 'No slug!' } }), (error) => {
    assert.ok(error instanceof ProblemError)
    assert.deepEqual(
      error.errors.map(({ path }) => path),
      ['slug'],
    )
    return true
  })
})

test('paginate gives every item of every page once', async () => {
  const { client, requests } = await newClient()
  for (const slug of ['page-a', 'page-b', 'page-c']) await client.createProject({ body: { slug } })
  requests.length = 0
  const slugs: string[] = []
  for await (const { slug } of paginate(client.listProjects, { query: { limit: 2 } })) slugs.push(slug)
  assert.deepEqual(slugs, ['page-c', 'page-b', 'page-a'])
  assert.equal(requests.length, 2)
  assert.match(requests[0]?.url ?? '', /\/v1\/projects\?limit=2$/)
  assert.match(requests[1]?.url ?? '', /\/v1\/projects\?limit=2&cursor=[^&]+$/)
})

test('paginate keeps the parameters of a list inside a project', async () => {
  const { client, requests } = await newClient()
  await client.createProject({ body: { slug: 'inside' } })
  const published = [await publish(client, 'inside', '1'), await publish(client, 'inside', '2')]
  requests.length = 0
  const listing = { params: { project: 'inside' }, query: { limit: 1 } }
  const found = await Array.fromAsync(paginate(client.listDeployments, listing))
  assert.deepEqual(
    found.map(({ id }) => id),
    published.map(({ id }) => id).reverse(),
  )
  for (const { url } of requests) assert.match(url, /\/v1\/projects\/inside\/deployments\?limit=1/)
})

/** A client of a person, whose first answers from these paths are lost. */
async function clientThatLoses(paths: string[], cookie: string) {
  const proxy = await startFaultProxy(masthead.origin)
  for (const lost of paths) {
    proxy.next({ kind: 'cut response', after: 0 }, { matches: (_, path) => path.startsWith(lost) })
  }
  const client = createClient({
    server: proxy.url,
    fetch: (url, init) =>
      fetch(url, { ...init, headers: { ...init?.headers, origin: new URL(url).origin, cookie } }),
    sleep: async () => {},
  })
  return { client, requests: proxy.requests, [Symbol.asyncDispose]: () => proxy[Symbol.asyncDispose]() }
}

test('what can be done only once succeeds although the first answer was lost', async () => {
  const body = { name: 'Harbour', ownerEmail: 'grace@example.com' }
  const { invitation } = await operator.createAccount({ body })
  const password = 'a ship in port is safe'
  const token = new URL(invitation?.url ?? '').hash.slice(1)
  await using newcomer = await clientThatLoses(['/v1/invitations/accept'], '')
  const joined = await newcomer.client.acceptInvitation({ body: { token, name: 'Grace', password } })
  assert.equal(joined.role, 'owner')
  assert.equal(newcomer.requests.length, 2)

  const signedIn = await fetch(`${masthead.origin}/v1/session`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email: 'grace@example.com', password }),
  })
  const cookie = signedIn.headers.getSetCookie().map((line) => line.split(';')[0])
  await using person = await clientThatLoses(['/v1/person/password', '/v1/session'], cookie.join('; '))
  const changed = await person.client.changePassword({
    body: { current: password, new: 'but that is not what ships are for' },
  })
  assert.equal(changed.sessionsEnded, 1)
  await person.client.signOut()
  assert.equal(person.requests.length, 4)
})

test('a key revokes itself although the first answer was lost', async () => {
  const { client, key } = await newClient()
  const { items } = await client.listKeys()
  await using proxy = await startFaultProxy(masthead.origin)
  const own = createClient({ server: proxy.url, key, sleep: async () => {} })
  await own.getAccount()
  proxy.next({ kind: 'cut response', after: 0 })
  await own.revokeKey({ params: { key: items[0]?.id ?? assert.fail() } })
  assert.equal(proxy.requests.length, 3)
  await assert.rejects(client.getAccount(), { code: 'unauthenticated' })
})

test('an answer that is text comes as it is', async () => {
  const { client } = await newClient()
  const pem = await client.getCaRoot()
  assert.match(pem, /^-----BEGIN CERTIFICATE-----\n[\s\S]+\n-----END CERTIFICATE-----\n$/)
  assert.ok(new X509Certificate(pem).ca)
})
