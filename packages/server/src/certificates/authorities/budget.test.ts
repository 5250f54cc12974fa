import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Database } from '../../database/database.ts'
import { onEachDatabase } from '../../database/each-database.test-kit.ts'
import { openChangeFeed } from '../../events/change-feed.ts'
import { day, hour, minute } from '../../kernel/clock.ts'
import { requestCertificate } from '../jobs/request-certificate.ts'
import { type Authority, authorities, unknownAuthority, withBudget } from './authorities.ts'
import { chargeOrder, checkBudget, closeOrder, type OrderCharge, registeredDomain } from './budget.ts'
import type { OrderOutcome } from './budget-store.ts'

const start = Date.UTC(2030, 0, 1)
const { letsencrypt } = authorities
/** Like Let's Encrypt with a tenth of its orders: one token every six minutes. */
const small = withBudget(letsencrypt, { orders: { count: 30, within: 3 * hour }, certificates: null })
const privateCa = unknownAuthority('https://ca.example/directory')

function spender(database: Database, authority: Authority = letsencrypt) {
  const clock = { at: start }
  const context = { database, now: () => clock.at }
  const usual = { exempt: false, renews: false, account: null, isFirst: true }
  return {
    clock,
    spend: (name: string, more: Partial<OrderCharge> = {}) =>
      chargeOrder(context, authority, { ...usual, name, ...more }),
    check: (name: string, more: Partial<OrderCharge> = {}) =>
      checkBudget(context, authority, { ...usual, name, ...more }),
    close: (name: string, outcome: OrderOutcome | 'unmade') =>
      database.write((tx) => closeOrder(context, tx, authority, name, outcome)),
  }
}

type Spender = ReturnType<typeof spender>

/** Orders names of one account, each in its own domain, until it has to wait. Returns how many, and until when. */
async function orderAll(
  { spend }: Spender,
  account: string,
  most: number,
): Promise<{ orders: number; until: number | null }> {
  for (let orders = 0; orders < most; orders++) {
    const until = await spend(`www.${account}${orders}.com`, { account })
    if (until !== null) return { orders, until }
  }
  return { orders: most, until: null }
}

onEachDatabase('the budget', ({ open }) => {
  test('concurrent orders never exceed the limit, and tokens come back one by one', async () => {
    await using database = await open()
    const limits = [{ count: 20, within: 3 * hour, per: 'account', of: 'orders' } as const]
    const { spend, clock } = spender(database, { ...privateCa, limits })
    const results = await Promise.all(
      Array.from({ length: 30 }, (_, index) => spend(`n${index}.a${index}.test`)),
    )
    assert.equal(results.filter((until) => until === null).length, 20)
    assert.deepEqual([...new Set(results)], [null, start + 9 * minute])
    clock.at = start + 9 * minute
    assert.equal(await spend('later.test'), null)
    assert.equal(await spend('latest.test'), start + 18 * minute)
    clock.at = start + hour
    for (let index = 0; index < 5; index++) assert.equal(await spend(`n${index}.later.test`), null)
    assert.notEqual(await spend('latest.test'), null)
  })

  test('checking the budget charges nothing', async () => {
    await using database = await open()
    const limits = [{ count: 1, within: hour, per: 'account', of: 'orders' } as const]
    const { spend, check } = spender(database, { ...privateCa, limits })
    for (let index = 0; index < 3; index++) assert.equal(await check('www.acme.com'), null)
    assert.equal(await spend('www.acme.com'), null)
    assert.equal(await check('www.acme.com'), start + hour)
  })

  test('a name gets five certificates, then one per fifth of a week, independent of its neighbors', async () => {
    await using database = await open()
    const { spend, close, clock } = spender(database)
    for (let index = 0; index < 5; index++) {
      assert.equal(await spend('www.acme.com'), null)
      await close('www.acme.com', 'issued')
    }
    const next = start + (7 * day) / 5
    assert.equal(await spend('www.acme.com'), next)
    assert.equal(await spend('shop.acme.com'), null)
    clock.at = next
    assert.equal(await spend('www.acme.com'), null)
  })

  test('a registered domain gets fifty a week, across accounts', async () => {
    await using database = await open()
    const { spend, close } = spender(database)
    for (let index = 0; index < 50; index++) {
      assert.equal(await spend(`n${index}.acme.co.uk`, { account: `acc_${index % 9}` }), null)
      await close(`n${index}.acme.co.uk`, 'issued')
    }
    assert.equal(await spend('one-more.acme.co.uk'), start + (7 * day) / 50)
    assert.equal(await spend('www.other.co.uk'), null)
  })

  test('a name that failed or was refused too often within an hour has to wait at any CA', async () => {
    const allowed = new Map([
      [letsencrypt, 5],
      [privateCa, 10],
    ])
    for (const [authority, most] of allowed) {
      await using database = await open()
      const { spend, close, clock } = spender(database, authority)
      for (let index = 0; index < most; index++) {
        assert.equal(await spend('www.acme.com'), null)
        await close('www.acme.com', index % 2 === 0 ? 'failed' : 'refused')
      }
      assert.equal(await spend('www.acme.com'), start + hour / most)
      clock.at = start + hour / most
      assert.equal(await spend('www.acme.com'), null)
    }
  })

  test('failing names of many domains share a part of the budget, and new names do not wait for them', async () => {
    await using database = await open()
    const shared = {
      count: 30,
      within: 3 * hour,
      per: 'account',
      of: 'failures',
      afterFailure: true,
    } as const
    const { spend, close, clock } = spender(database, { ...privateCa, limits: [shared] })
    const names = Array.from({ length: 15 }, (_, index) => `www.hostile${index}.com`)
    let orders = 0
    for (let passed = 0; passed < 60; passed += 10) {
      clock.at = start + passed * minute
      for (const name of names) {
        if ((await spend(name)) !== null) continue
        await close(name, 'failed')
        orders++
      }
    }
    // 30, plus the tokens that came back within the hour.
    assert.ok(orders >= 30 && orders <= 40, `${orders}`)
    assert.equal(await spend('www.acme.com'), null)
  })

  test('many failing names of one domain get few retries and leave orders for others', async () => {
    await using database = await open()
    const { spend, close } = spender(database)
    const names = Array.from({ length: 30 }, (_, index) => `n${index}.hostile.com`)
    for (const name of names) {
      assert.equal(await spend(name), null)
      await close(name, 'failed')
    }
    assert.notEqual(await spend('n1.hostile.com'), null)
    assert.equal(await spend('fresh.hostile.com'), null)
    assert.equal(await spend('www.acme.com'), null)
  })

  test('part of the budget is reserved for renewals and part for first-priority names', async () => {
    await using database = await open()
    const { spend } = spender(database, small)
    const use = async (count: number, kind: string, more: Partial<OrderCharge>) => {
      for (let index = 0; index < count; index++) {
        assert.equal(await spend(`www.${kind}${index}.com`, more), null)
      }
      assert.equal(await spend('www.acme.com', more), start + 6 * minute)
    }
    await use(21, 'usual', { isFirst: false })
    await use(3, 'first', { isFirst: true })
    await use(6, 'renewed', { renews: true })
  })

  test('one account cannot use up the budget: others get their share immediately, and it continues as the bucket fills', async () => {
    await using database = await open()
    const budget = spender(database, small)
    const hog = await orderAll(budget, 'hog', 26)
    assert.deepEqual(hog, { orders: 18, until: start + 6 * minute })
    assert.deepEqual(await orderAll(budget, 'small', 4), { orders: 4, until: null })
    assert.deepEqual(await orderAll(budget, 'other', 1), { orders: 1, until: null })
    // Without competition it gets most of the tokens that come back.
    let more = 0
    for (let passed = 0; passed < 180; passed += 6) {
      budget.clock.at = start + passed * minute
      more += (await orderAll(budget, 'hog', 1)).orders
    }
    assert.ok(more >= 14 && more < 30, `${more}`)
  })

  test('waiting names of one account are queued one after the other, and those of others not behind them', async () => {
    await using database = await open()
    const budget = spender(database, small)
    assert.equal((await orderAll(budget, 'hog', 26)).until, start + 6 * minute)
    const now = () => start
    const changes = await openChangeFeed({ database, now }, { warn: () => {} }, { pollEvery: null })
    await database.write(async (tx) => {
      const wanted = { name: 'www.first.com', reason: 'first', at: start } as const
      const account = { id: 'hog', isPaying: true }
      await requestCertificate({ changes }, tx, { ...wanted, account })
      const waiting = { problem_kind: 'budget', next_attempt_at: start + 30 * minute }
      await tx.updateTable('certificate_jobs').set(waiting).execute()
    })
    changes.close()
    const next = (name: string, account: string) => budget.spend(name, { account })
    assert.equal(await next('www.second.com', 'hog'), start + 36 * minute)
    assert.equal(await next('www.first.com', 'hog'), start + 6 * minute)
    assert.equal(await next('www.third.com', 'other'), null)
  })

  test('renewals that name what they replace are neither delayed nor counted', async () => {
    await using database = await open()
    const { spend, close } = spender(database)
    for (let index = 0; index < 20; index++) {
      assert.equal(await spend('www.acme.com', { exempt: true, renews: true }), null)
      await close('www.acme.com', index % 2 === 0 ? 'issued' : 'failed')
    }
    assert.equal(await spend('www.acme.com'), null)
  })

  test('an order that was never placed costs nothing, and an abandoned one no certificate', async () => {
    await using database = await open()
    const limits = [
      { count: 10, within: hour, per: 'account', of: 'orders' } as const,
      { count: 2, within: day, per: 'name', of: 'certificates' } as const,
    ]
    const { spend, close } = spender(database, { ...privateCa, limits })
    for (let index = 0; index < 20; index++) {
      assert.equal(await spend('www.acme.com'), null)
      await close('www.acme.com', 'unmade')
    }
    for (let index = 0; index < 10; index++) assert.equal(await spend('www.acme.com'), null)
    assert.equal(await spend('www.acme.com'), start + 6 * minute)
    const rows = await database.read.selectFrom('issuance_log').select('outcome').execute()
    assert.equal(rows.filter(({ outcome }) => outcome === 'abandoned').length, 9)
  })

  test('orders older than any limit and full buckets are deleted', async () => {
    await using database = await open()
    const { spend, clock } = spender(database)
    await spend('www.acme.com')
    clock.at += 9 * day
    await spend('www.other.com')
    const rows = await database.read.selectFrom('issuance_log').select('at').execute()
    assert.deepEqual(
      rows.map(({ at }) => at),
      [clock.at],
    )
    const buckets = await database.read.selectFrom('issuance_buckets').select('bucket').execute()
    assert.ok(buckets.length > 0 && buckets.every(({ bucket }) => !bucket.includes('acme')))
  })

  test('a CA without known limits accepts any number of orders unless the operator sets a budget', async () => {
    await using database = await open()
    const free = await orderAll(spender(database, privateCa), 'hog', 60)
    assert.equal(free.orders, 60)
    const set = { orders: { count: 40, within: hour }, certificates: null }
    const ca = withBudget(unknownAuthority('https://other.example/directory'), set)
    assert.equal((await orderAll(spender(database, ca), 'hog', 60)).orders, 24)
    const none = withBudget(letsencrypt, null)
    assert.equal((await orderAll(spender(database, none), 'hog', 60)).orders, 60)
  })
})

test("an operator's budget replaces only the CA's limits for orders and domains", () => {
  const sizes = ({ limits }: Authority) => limits.map(({ of, per, count }) => `${of} ${per} ${count}`)
  const orders = { count: 1500, within: 3 * hour }
  assert.deepEqual(
    sizes(withBudget(letsencrypt, { orders, certificates: null })).toSorted(),
    sizes(letsencrypt)
      .map((limit) => (limit === 'orders account 300' ? 'orders account 1500' : limit))
      .toSorted(),
  )
  const certificates = { count: 200, within: 7 * day }
  const both = sizes(withBudget(letsencrypt, { orders, certificates }))
  assert.ok(both.includes('certificates registered_domain 200'))
  assert.ok(!both.includes('certificates registered_domain 50'))
})

test('names count toward their registered domain', () => {
  assert.equal(registeredDomain('a.b.acme.co.uk'), 'acme.co.uk')
  assert.equal(registeredDomain('*.acme.com'), 'acme.com')
  assert.equal(registeredDomain('alice.github.io'), 'alice.github.io')
  assert.equal(registeredDomain('www.acme.test'), 'acme.test')
  assert.equal(registeredDomain('localhost'), 'localhost')
})
