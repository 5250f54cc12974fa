import assert from 'node:assert/strict'
import { test } from 'node:test'
import { day, hour, minute } from '../clock.ts'
import type { Database } from '../database/database.ts'
import { onEachDatabase } from '../database/each-database.test-kit.ts'
import { type Authority, authorities, unknownAuthority } from './authorities.ts'
import { registeredDomain, spendOrder } from './budget.ts'
import { closeOrder, unlogOrder } from './issuance-log-store.ts'

const begin = Date.UTC(2030, 0, 1)
const { letsencrypt } = authorities

function spender(database: Database, authority: Authority = letsencrypt) {
  const clock = { at: begin }
  const context = { database, now: () => clock.at }
  const { directoryUrl } = authority
  return {
    clock,
    spend: (name: string, exempt = false) => spendOrder(context, authority, { name, exempt }),
    close: (name: string, outcome: 'issued' | 'failed') =>
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

  test('five failures within an hour are waited out', async () => {
    await using database = await open()
    const { spend, close, clock } = spender(database)
    for (let index = 0; index < 5; index++) {
      clock.at = begin + index * minute
      assert.equal(await spend('www.acme.com'), null)
      await close('www.acme.com', 'failed')
    }
    assert.equal(await spend('www.acme.com'), begin + hour)
  })

  test('renewals that name what they replace are neither held up nor counted', async () => {
    await using database = await open()
    const { spend, close } = spender(database)
    for (let index = 0; index < 20; index++) {
      assert.equal(await spend('www.acme.com', true), null)
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
