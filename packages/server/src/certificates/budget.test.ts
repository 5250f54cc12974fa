import assert from 'node:assert/strict'
import { test } from 'node:test'
import { day, hour, minute } from '../clock.ts'
import type { Database } from '../database/database.ts'
import { onEachDatabase } from '../database/each-database.test-kit.ts'
import { type Authority, authorities, unknownAuthority } from './authorities.ts'
import { registeredDomain, type Spending, spendOrder } from './budget.ts'
import { closeOrder, unlogOrder } from './issuance-log-store.ts'

const begin = Date.UTC(2030, 0, 1)
const { letsencrypt } = authorities

function spender(database: Database, authority: Authority = letsencrypt) {
  const clock = { at: begin }
  const context = { database, now: () => clock.at }
  const { directoryUrl } = authority
  return {
    clock,
    spend: (name: string, more: Partial<Spending> = {}) =>
      spendOrder(context, authority, { name, exempt: false, renews: false, ...more }),
    close: (name: string, outcome: 'issued' | 'failed' | 'refused') =>
      database.write((tx) => closeOrder(tx, directoryUrl, name, outcome)),
    unlog: (name: string) => database.write((tx) => unlogOrder(tx, directoryUrl, name)),
  }
}

onEachDatabase('the budget', ({ open }) => {
  test('an account orders no more than the CA allows, exactly, however many ask at once', async () => {
    await using database = await open()
    const few = unknownAuthority('https://ca.example/directory')
    const limits = [{ count: 20, within: 3 * hour, per: 'account', of: 'orders' } as const]
    const { spend, clock } = spender(database, { ...few, limits })
    const asked = await Promise.all(
      Array.from({ length: 30 }, (_, index) => spend(`n${index}.a${index}.test`)),
    )
    assert.equal(asked.filter((until) => until === null).length, 20)
    assert.deepEqual([...new Set(asked)], [null, begin + 3 * hour])
    clock.at = begin + 3 * hour
    assert.equal(await spend('later.test'), null)
  })

  test('one name gets five certificates a week, and its neighbours their own', async () => {
    await using database = await open()
    const { spend, close, clock } = spender(database)
    for (let index = 0; index < 5; index++) {
      clock.at = begin + index * hour
      assert.equal(await spend('www.acme.com'), null)
      await close('www.acme.com', 'issued')
    }
    assert.equal(await spend('www.acme.com'), begin + 7 * day)
    assert.equal(await spend('shop.acme.com'), null)
    clock.at = begin + 7 * day
    assert.equal(await spend('www.acme.com'), null)
  })

  test('a registered domain gets fifty a week, whoever owns its names', async () => {
    await using database = await open()
    const { spend, close } = spender(database)
    for (let index = 0; index < 50; index++) {
      assert.equal(await spend(`n${index}.acme.co.uk`), null)
      await close(`n${index}.acme.co.uk`, 'issued')
    }
    assert.equal(await spend('one-more.acme.co.uk'), begin + 7 * day)
    assert.equal(await spend('www.other.co.uk'), null)
  })

  test('so many failures of a name within an hour are waited out at any CA, refusals among them', async () => {
    const allowed = new Map([
      [letsencrypt, 5],
      [unknownAuthority('https://ca.example/directory'), 10],
    ])
    for (const [authority, most] of allowed) {
      await using database = await open()
      const { spend, close, clock } = spender(database, authority)
      for (let index = 0; index < most; index++) {
        clock.at = begin + index * minute
        assert.equal(await spend('www.acme.com'), null)
        await close('www.acme.com', index % 2 === 0 ? 'failed' : 'refused')
      }
      assert.equal(await spend('www.acme.com'), begin + hour)
    }
  })

  /** Tries all of the names again and again, as their failures allow; tells how many orders that cost. */
  async function failAllDay(
    { spend, close, clock }: ReturnType<typeof spender>,
    names: readonly string[],
    minutes: number,
  ): Promise<number> {
    let orders = 0
    for (let passed = 0; passed < minutes; passed += 10) {
      clock.at = begin + passed * minute
      for (const name of names) {
        if ((await spend(name)) !== null) continue
        await close(name, 'failed')
        orders++
      }
    }
    return orders
  }

  test('many names of one domain that fail are tried once, and leave the others their orders', async () => {
    await using database = await open()
    const budget = spender(database)
    const names = Array.from({ length: 60 }, (_, index) => `n${index}.hostile.com`)
    assert.equal(await failAllDay(budget, names, 60), names.length)
    assert.notEqual(await budget.spend('n1.hostile.com'), null)
    assert.equal(await budget.spend('fresh.hostile.com'), null)
    assert.equal(await budget.spend('www.acme.com'), null)
  })

  test('names of many domains that fail share half of the account, and new ones do not wait for them', async () => {
    await using database = await open()
    const budget = spender(database)
    const names = Array.from({ length: 60 }, (_, index) => `www.hostile${index}.com`)
    assert.equal(await failAllDay(budget, names, 60), 120)
    assert.equal(await budget.spend('www.acme.com'), null)
  })

  test('a part of the account is left to renewals', async () => {
    await using database = await open()
    const { spend } = spender(database)
    for (let index = 0; index < 240; index++) assert.equal(await spend(`www.first${index}.com`), null)
    assert.equal(await spend('www.acme.com'), begin + 3 * hour)
    for (let index = 0; index < 60; index++) {
      assert.equal(await spend(`www.renewed${index}.com`, { renews: true }), null)
    }
    assert.equal(await spend('www.acme.com', { renews: true }), begin + 3 * hour)
  })

  test('renewals that name what they replace are neither held up nor counted', async () => {
    await using database = await open()
    const { spend, close } = spender(database)
    for (let index = 0; index < 20; index++) {
      assert.equal(await spend('www.acme.com', { exempt: true, renews: true }), null)
      await close('www.acme.com', 'issued')
    }
    assert.equal(await spend('www.acme.com'), null)
  })

  test('an order that was never made, or never finished, is no certificate', async () => {
    await using database = await open()
    const { spend, unlog } = spender(database)
    for (let index = 0; index < 10; index++) {
      assert.equal(await spend('www.acme.com'), null)
      await unlog('www.acme.com')
    }
    for (let index = 0; index < 10; index++) assert.equal(await spend('www.acme.com'), null)
    const rows = await database.read.selectFrom('issuance_log').select('outcome').execute()
    assert.equal(rows.filter(({ outcome }) => outcome === 'abandoned').length, 9)
  })

  test('what no limit looks back to is forgotten', async () => {
    await using database = await open()
    const { spend, clock } = spender(database)
    await spend('www.acme.com')
    clock.at += 9 * day
    await spend('www.acme.com')
    const rows = await database.read.selectFrom('issuance_log').select('at').execute()
    assert.deepEqual(
      rows.map(({ at }) => at),
      [clock.at],
    )
  })
})

test('names count to the domain that somebody has registered', () => {
  assert.equal(registeredDomain('a.b.acme.co.uk'), 'acme.co.uk')
  assert.equal(registeredDomain('*.acme.com'), 'acme.com')
  assert.equal(registeredDomain('alice.github.io'), 'alice.github.io')
  assert.equal(registeredDomain('www.acme.test'), 'acme.test')
  assert.equal(registeredDomain('localhost'), 'localhost')
})
