import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AcmeAccount } from '../acme/account.ts'
import type { Order } from '../acme/order.ts'
import { AcmeProblem } from '../acme/problem.ts'
import { generateKeyPair } from '../x509/key-pair.ts'
import { createLostOrders } from './lost-orders.ts'

const account: AcmeAccount = { key: await generateKeyPair(), url: 'https://ca.example/account' }

function order(url: string, status: Order['status'], ...names: string[]): Order {
  const identifiers = names.map((value) => ({ type: 'dns', value }))
  const finalize = `${url}/finalize`
  return { url, status, identifiers, finalize, authorizations: [], expires: null, retryAt: null }
}

function caWith(orders: Order[] | null, gone: string[] = []) {
  const reads: string[] = []
  const lost = createLostOrders(
    {
      listOrders: async () => orders && [...orders.map(({ url }) => url), ...gone],
      readOrder: async (_account, url) => {
        reads.push(url)
        const found = orders?.find((one) => one.url === url)
        if (found === undefined) throw new AcmeProblem('not_found', 'gone', { status: 404 })
        return found
      },
    },
    Date.now,
  )
  return { reads, find: (name: string) => lost.find(account, name) }
}

test('an order that can be continued is found among all others, which are read only once', async () => {
  const others = Array.from({ length: 20 }, (_, index) =>
    order(`https://ca.example/${index}`, 'valid', `n${index}.test`),
  )
  const wanted = order('https://ca.example/wanted', 'pending', 'WWW.acme.test')
  const { find, reads } = caWith([...others, wanted], ['https://ca.example/purged'])
  assert.equal(await find('none.test'), 'none')
  assert.equal(reads.length, 22)
  assert.equal(await find('www.acme.test'), wanted)
  assert.equal(await find('none.test'), 'none')
  // Only the one for the name, and those that could not be read.
  assert.ok(reads.length <= 22 + 3, `${reads.length}`)
})

test('an order that is over, further along, or also for other names is not continued', async () => {
  const { find } = caWith([
    order('https://ca.example/1', 'invalid', 'www.acme.test'),
    order('https://ca.example/2', 'valid', 'www.acme.test'),
    order('https://ca.example/3', 'processing', 'www.acme.test'),
    order('https://ca.example/4', 'pending', 'www.acme.test', 'acme.test'),
    order('https://ca.example/5', 'pending'),
    { ...order('https://ca.example/6', 'pending', 'www.acme.test'), expires: Date.now() - 1 },
  ])
  assert.equal(await find('www.acme.test'), 'none')
})

test('the order is unknown if the CA lists no orders', async () => {
  assert.equal(await caWith(null).find('www.acme.test'), 'unknown')
})

test('an order that the CA calls malformed because it was purged is passed over', async () => {
  const wanted = order('https://ca.example/wanted', 'pending', 'www.acme.test')
  const purged = 'https://ca.example/purged'
  const lost = createLostOrders(
    {
      listOrders: async () => [wanted.url, purged],
      readOrder: async (_account, url) => {
        if (url === purged) throw new AcmeProblem('malformed', 'No such order', { status: 400 })
        return wanted
      },
    },
    Date.now,
  )
  assert.equal(await lost.find(account, 'www.acme.test'), wanted)
  assert.equal(await lost.find(account, 'none.test'), 'none')
})

test('the order is unknown if the CA refuses to list orders, but not while it is down', async () => {
  const find = (problem: AcmeProblem) =>
    createLostOrders(
      {
        listOrders: () => Promise.reject(problem),
        readOrder: () => assert.fail('There is nothing to read'),
      },
      Date.now,
    ).find(account, 'www.acme.test')
  for (const kind of ['malformed', 'account_refused', 'not_found', 'invalid_answer', 'other'] as const) {
    assert.equal(await find(new AcmeProblem(kind, 'Orders are not listed')), 'unknown')
  }
  for (const kind of ['unreachable', 'server_internal', 'rate_limited', 'account_missing'] as const) {
    await assert.rejects(find(new AcmeProblem(kind, 'Later')), { kind })
  }
})
