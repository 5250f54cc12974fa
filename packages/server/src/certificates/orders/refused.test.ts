import assert from 'node:assert/strict'
import { test } from 'node:test'
import { skipWithout } from '@masthead/testing/peers/peers.ts'
import { onEachDatabase } from '../../database/each-database.test-kit.ts'
import { day, hour, second } from '../../kernel/clock.ts'
import type { CaaRecord } from '../caa/caa.ts'
import type { CertificateState } from '../certificate-state.ts'
import { type Fault, faultProxy, refusal } from '../fault-proxy.test-kit.ts'
import { type Node, startNode, startPebbleCa } from '../issuing.test-kit.ts'
import { requestCertificate } from '../jobs/request-certificate.ts'

const skip = skipWithout('pebble')
const name = 'www.acme.test'

async function requestAgain({ context }: Node): Promise<void> {
  const { database, now } = context
  await database.write((tx) => requestCertificate(context, tx, { name, reason: 'asked', at: now() }))
}

/** Checks the time from the failure to the next attempt. */
function assertWait({ nextAttemptAt, lastError }: CertificateState, expected: number): void {
  const wait = Date.parse(nextAttemptAt ?? '') - Date.parse(lastError?.at ?? '')
  assert.ok(wait > 0.99 * expected && wait <= 1.1 * expected, `${wait} is not about ${expected}`)
}

onEachDatabase('a CA that refuses', ({ open }) => {
  /** Waits for the first failure, checks what is stored, then removes the fault and expects a certificate. */
  async function failOnce(fault: Fault, check: (state: CertificateState) => void) {
    await using ca = await startPebbleCa()
    const proxy = faultProxy([fault])
    await using database = await open()
    await using node = await ca.startWorking(database, { fetch: proxy.fetch })
    await node.request(name)
    await node.until(async () => (await node.state(name)).attempts === 1)
    check(await node.state(name))
    const log = await database.read.selectFrom('issuance_log').select('outcome').execute()
    const spent = log.filter(({ outcome }) => outcome !== 'refused')
    assert.deepEqual(spent, [], 'a refused order does not count')
    proxy.faults.length = 0
    await requestAgain(node)
    await node.until(() => node.installed.includes(name))
  }

  test('because of its rate limits is retried when it says so, or on request', { skip }, async () => {
    const detail = 'too many certificates already issued for "acme.test"'
    const fault = refusal('rateLimited', detail, { status: 429, headers: { 'retry-after': '7200' } })
    await failOnce(fault, (state) => {
      assert.equal(state.lastError?.kind, 'rate_limited')
      assert.match(
        state.lastError?.message ?? '',
        /said: "too many certificates already issued for "acme\.test""$/,
      )
      assertWait(state, 2 * hour)
    })
  })

  test('for a month is asked again after a day', { skip }, async () => {
    const retryAfter = { 'retry-after': `${(30 * day) / second}` }
    await failOnce(refusal('serverInternal', 'away', { status: 503, headers: retryAfter }), (state) => {
      assert.equal(state.lastError?.kind, 'server_internal')
      assertWait(state, day)
    })
  })

  test('is asked no more often than the failure limit allows, however often we are asked', {
    skip,
  }, async () => {
    await using ca = await startPebbleCa()
    const proxy = faultProxy([refusal('rateLimited', 'too many orders', { status: 429 })])
    await using database = await open()
    await using node = await ca.startWorking(database, { fetch: proxy.fetch })
    await node.request(name)
    for (let attempts = 1; attempts <= 12; attempts++) {
      await node.until(async () => (await node.state(name)).attempts === attempts)
      await requestAgain(node)
    }
    const log = await database.read.selectFrom('issuance_log').select('outcome').execute()
    assert.deepEqual(
      log.map(({ outcome }) => outcome),
      Array(10).fill('refused'),
    )
    const { lastError } = await node.state(name)
    assert.equal(lastError?.kind, 'budget')
    assert.match(lastError?.message ?? '', /^We've reached our own limit for new certificates/)
  })

  test('a name permanently is not retried until someone requests it', { skip }, async () => {
    await failOnce(refusal('rejectedIdentifier', 'policy forbids issuing for this name'), (state) => {
      assert.equal(state.status, 'failed')
      assert.equal(state.nextAttemptAt, null)
    })
  })

  for (const [which, ahead] of [
    ['behind', -hour],
    ['ahead', hour],
  ] as const) {
    test(`is asked exactly once more after a request meanwhile at a node whose clock is ${which}`, {
      skip,
    }, async () => {
      await using ca = await startPebbleCa()
      const proxy = faultProxy([refusal('rejectedIdentifier', 'policy forbids issuing for this name')])
      const asked = Promise.withResolvers<void>()
      await using database = await open()
      await using node = await ca.startWorking(database, {
        fetch: (real) => async (url, init) => {
          const answer = await proxy.fetch(real)(url, init)
          if (url.includes('/order-plz')) await asked.promise
          return answer
        },
      })
      await using other = await startNode(database, { issuer: ca.issuer(), clock: { ahead } })
      await node.request(name)
      const orders = () => proxy.requests.filter(({ path }) => path === '/order-plz').length
      await node.until(() => orders() === 1)
      await requestAgain(other)
      asked.resolve()
      await node.until(async () => (await node.state(name)).attempts === 2)
      assert.equal((await node.state(name)).nextAttemptAt, null)
      assert.equal(orders(), 2)
    })
  }

  test('because of CAA is retried after an hour, or on request', { skip }, async () => {
    await failOnce(refusal('caa', 'CAA record for acme.test prevents issuance'), (state) => {
      assert.equal(state.status, 'pending')
      assertWait(state, hour)
    })
  })

  test('a name that CAA forbids costs no order', { skip }, async () => {
    await using ca = await startPebbleCa()
    const records: CaaRecord[] = [{ critical: false, tag: 'issue', value: 'other.example' }]
    const caaLookUp = async (at: string) => ({ records: at === 'acme.test' ? records : [] })
    const authority = { identities: ['ca.example'] }
    await using database = await open()
    await using node = await ca.startWorking(database, { caaLookUp, authority })
    await node.request(name)
    await node.until(async () => (await node.state(name)).attempts === 1)
    const { lastError } = await node.state(name)
    assert.equal(lastError?.kind, 'caa_forbids')
    assert.deepEqual(lastError?.add, { type: 'CAA', fqdn: 'acme.test', value: '0 issue "ca.example"' })
    assert.equal(ca.orders.length, 0)
    records.push({ critical: false, tag: 'issue', value: 'ca.example' })
    await requestAgain(node)
    await node.until(() => node.installed.includes(name))
  })

  test('is not asked if we know that its limits are reached', { skip }, async () => {
    await using ca = await startPebbleCa()
    const limits = [{ count: 1, within: 7 * day, per: 'registered_domain', of: 'certificates' } as const]
    await using database = await open()
    await using node = await ca.startWorking(database, { authority: { limits } })
    await node.request('first.acme.test')
    await node.until(() => node.installed.length === 1)
    await node.request(name)
    await node.until(async () => (await node.state(name)).attempts === 1)
    const state = await node.state(name)
    assert.equal(state.lastError?.kind, 'budget')
    assertWait(state, 7 * day)
    assert.equal(ca.orders.length, 1)
  })

  test('or creates orders that have already expired does not get order after order', { skip }, async () => {
    await using ca = await startPebbleCa()
    await using database = await open()
    await using node = await ca.startWorking(database, {}, { clock: { ahead: 30 * day } })
    await node.request(name)
    await node.until(async () => (await node.state(name)).attempts === 1)
    assert.match((await node.state(name)).lastError?.message ?? '', /Check the clock of this server/)
    assert.equal(ca.orders.length, 1)
  })
})
