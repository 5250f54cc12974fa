import assert from 'node:assert/strict'
import { test } from 'node:test'
import { skipWithout } from '@masthead/testing/peers/peers.ts'
import { onEachDatabase } from '../../database/each-database.test-kit.ts'
import { minute } from '../../kernel/clock.ts'
import type { Fetch } from '../acme/exchange.ts'
import { unknownAuthority } from '../authorities/authorities.ts'
import { chargeOrder } from '../authorities/budget.ts'
import { faultProxy, refusal } from '../fault-proxy.test-kit.ts'
import { startNode, startPebbleCa } from '../issuing.test-kit.ts'
import { findJob } from '../jobs/job-store.ts'

const skip = skipWithout('pebble')

const pending = {
  status: 'pending',
  identifiers: [],
  authorizations: [],
  finalize: 'https://127.0.0.1/never',
}

onEachDatabase('a slow order', ({ open }) => {
  const name = 'www.acme.test'

  test('is released when the process stops and resumed immediately by the next', { skip }, async () => {
    await using ca = await startPebbleCa()
    const proxy = faultProxy([{ path: '/my-order', status: 200, body: pending }])
    await using database = await open()
    await using node = await ca.startWorking(database, { fetch: proxy.fetch })
    await node.request(name)
    await node.until(() => proxy.requests.some(({ path }) => path.startsWith('/my-order')))
    await node.stopWorking()
    const job = await findJob(database.read, name)
    assert.equal(job?.lease_owner, null)
    assert.equal(job?.attempts, 0)
    assert.notEqual(job?.order_url, null)
    proxy.faults.length = 0
    node.work()
    await node.until(() => node.installed.includes(name))
    assert.equal(ca.orders.length, 1)
  })

  test('is released until the Retry-After of the CA, which is not a failure', { skip }, async () => {
    await using ca = await startPebbleCa()
    const headers = { 'retry-after': '3600' }
    const proxy = faultProxy([{ path: '/my-order', status: 200, body: pending, headers }])
    await using database = await open()
    await using node = await ca.startWorking(database, { fetch: proxy.fetch })
    await node.request(name)
    const later = node.context.now() + 50 * minute
    await node.until(async () => Number((await findJob(database.read, name))?.next_attempt_at) > later)
    const state = await node.state(name)
    assert.deepEqual([state.status, state.attempts, state.lastError], ['pending', 0, null])
    assert.deepEqual(
      node.progress.map(({ progress }) => progress.step),
      ['ordered'],
    )
  })

  test('is polled again immediately if the certificate was requested in the meantime', { skip }, async () => {
    await using ca = await startPebbleCa()
    const headers = { 'retry-after': '3600' }
    const proxy = faultProxy([{ path: '/my-order', status: 200, body: pending, headers, times: 1 }])
    const asked = Promise.withResolvers<void>()
    const waiting =
      (real: Fetch): Fetch =>
      async (url, init) => {
        const answer = await proxy.fetch(real)(url, init)
        if (url.includes('/my-order')) await asked.promise
        return answer
      }
    await using database = await open()
    await using node = await ca.startWorking(database, { fetch: waiting })
    await node.request(name)
    await node.until(() => proxy.requests.some(({ path }) => path.startsWith('/my-order')))
    await node.request(name)
    asked.resolve()
    await node.until(() => node.installed.includes(name))
    assert.equal(ca.orders.length, 1)
  })
})

onEachDatabase('an order that is over when it is resumed', ({ open }) => {
  test('passes nothing on to the next order: neither challenge responses nor its key', { skip }, async () => {
    const name = 'www.acme.test'
    await using ca = await startPebbleCa()
    const proxy = faultProxy([{ path: '/my-order', status: 200, body: pending }])
    await using database = await open()
    await using node = await ca.startWorking(database, { fetch: proxy.fetch })
    await node.request(name)
    await node.until(() => proxy.requests.some(({ path }) => path.startsWith('/my-order')))
    await node.stopWorking()
    const first = new URL((await findJob(database.read, name))?.order_url ?? '')

    // When resumed it asks for a challenge; then the CA fails it because the authorization has expired.
    const at = (path: string) => new URL(path, first).href
    const challenge = { type: 'http-01', url: at('/chalZ/old'), status: 'pending', token: 'old' }
    const authorization = { identifier: { type: 'dns', value: name }, challenges: [challenge] }
    const order = { ...pending, authorizations: [at('/authZ/old')] }
    const once = (path: string, body: object) => ({ path, status: 200, body, times: 1 })
    proxy.faults.splice(
      0,
      1,
      once(first.pathname, order),
      once('/authZ/old', { ...authorization, status: 'pending' }),
      once('/chalZ/old', { ...challenge, status: 'processing' }),
      once(first.pathname, { ...order, status: 'invalid' }),
      once('/authZ/old', { ...authorization, status: 'expired', challenges: [] }),
    )
    const requestsBefore = proxy.requests.length
    node.work()
    await node.until(() => node.installed.includes(name))
    assert.deepEqual(proxy.faults, [])
    assert.equal(ca.orders.length, 2)
    assert.equal(proxy.requests.slice(requestsBefore).filter(({ path }) => path === '/order-plz').length, 1)
    assert.deepEqual(
      node.progress.map(({ progress }) => progress.step),
      ['ordered', 'ordered', 'installed'],
    )
  })
})

onEachDatabase('an order whose process is killed', ({ open }) => {
  test('before it was placed is placed again, in whatever way the CA refuses to list orders', {
    skip,
  }, async () => {
    await using ca = await startPebbleCa()
    const list = { path: '/list-orderz' }
    const proxy = faultProxy([])
    await using database = await open()
    await using node = await ca.startWorking(database, { fetch: proxy.fetch })
    for (const type of ['malformed', 'unauthorized']) {
      const name = `${type}.acme.test`
      const charge = { name, exempt: false, renews: false, account: null, isFirst: true }
      await chargeOrder(node.context, unknownAuthority(ca.pebble.directoryUrl), charge)
      proxy.faults.splice(0, 1, refusal(type, 'Orders are not listed', list))
      await node.request(name)
      await node.until(
        async () => node.installed.includes(name) || (await node.state(name)).lastError !== null,
      )
      assert.equal((await node.state(name)).lastError, null)
    }
    assert.ok(proxy.requests.some(({ path }) => path.startsWith(list.path)))
  })

  test('before it was placed is placed again if all that the CA lists has expired', { skip }, async () => {
    const name = 'expired.acme.test'
    await using ca = await startPebbleCa()
    const old = new URL('/old-order', ca.pebble.directoryUrl).href
    const identifiers = [{ type: 'dns', value: name }]
    const proxy = faultProxy([
      { path: '/list-orderz', status: 200, body: { orders: [old] } },
      { path: '/old-order', status: 200, body: { ...pending, identifiers, expires: '2020-01-01T00:00:00Z' } },
    ])
    await using database = await open()
    await using node = await ca.startWorking(database, { fetch: proxy.fetch })
    const charge = { name, exempt: false, renews: false, account: null, isFirst: true }
    await chargeOrder(node.context, unknownAuthority(ca.pebble.directoryUrl), charge)
    await node.get(name)
    assert.ok(proxy.requests.some(({ path }) => path === '/old-order'))
    assert.deepEqual(
      node.progress.map(({ progress }) => progress.step),
      ['ordered', 'installed'],
    )
  })

  test('during validation is not counted against the name, and ordered again immediately', {
    skip,
  }, async () => {
    const name = 'www.acme.test'
    await using ca = await startPebbleCa()
    await using database = await open()
    const challenged = Promise.withResolvers<void>()
    const dead = Promise.withResolvers<Response>()
    const dying =
      (real: Fetch): Fetch =>
      async (url, init) => {
        const answer = await real(url, init)
        if (!url.includes('/chalZ/')) return answer
        challenged.resolve()
        return dead.promise
      }
    await using first = await startNode(database, { issuer: ca.issuer({ fetch: dying }) })
    await using second = await startNode(database, { issuer: ca.issuer(), clock: { ahead: minute } })
    await first.request(name)
    first.work()
    await challenged.promise
    // Pebble validates from three perspectives.
    await second.until(() => ca.edge.requests >= 3)
    ca.edge.node = second
    const { challenge_kind, priority } = (await findJob(database.read, name)) ?? {}
    second.work()
    await second.untilValid(name)
    const failed = second.progress.flatMap(({ progress }) => (progress.step === 'failed' ? progress : []))
    assert.deepEqual(
      failed.map(({ error }) => error.kind),
      ['interrupted'],
    )
    assert.ok(Number(failed[0]?.nextAttemptAt) <= second.context.now())
    assert.equal(ca.orders.length, 2)
    assert.deepEqual([challenge_kind, priority], ['http-01', 0])
    assert.equal(ca.edge.tlsRequests, 0)
    dead.reject(new Error('dead'))
  })
})
