import assert from 'node:assert/strict'
import { test } from 'node:test'
import { skipWithout } from '@masthead/testing/peers/peers.ts'
import type { Database } from '../../database/database.ts'
import { onEachDatabase } from '../../database/each-database.test-kit.ts'
import { minute } from '../../kernel/clock.ts'
import type { Fetch } from '../acme/exchange.ts'
import { startNode, startPebbleCa } from '../issuing.test-kit.ts'
import { renewDue } from '../renew.ts'

const skip = skipWithout('pebble')
const silent = { warn: () => {} }

type Ca = Awaited<ReturnType<typeof startPebbleCa>>
type Step = 'write' | 'response'

/** A process that dies right after its nth write or its nth response from the CA: nothing after that has an effect. */
function dyingAfter(database: Database, { step, count }: { step: Step; count: number }) {
  const died = Promise.withResolvers<void>()
  let left = count
  let isDead = false
  async function live<T>(kind: Step, act: () => Promise<T>): Promise<T> {
    if (isDead) throw new Error('dead')
    const result = await act()
    if (kind === step && --left <= 0) isDead = true
    if (!isDead) return result
    died.resolve()
    throw new Error('killed')
  }
  const write: Database['write'] = (work) => live('write', () => database.write(work))
  const fetch =
    (real: Fetch): Fetch =>
    (url, init) =>
      live('response', () => real(url, init))
  return { database: { ...database, write }, fetch, died: died.promise }
}

interface Killed {
  step: Step
  count: number
  reason: 'first' | 'renewal'
}

/** Whether the first process was killed, and how many orders it took to get the certificate. */
async function ordersWhenKilled(ca: Ca, database: Database, { step, count, reason }: Killed) {
  const name = `${reason}-${step}-${count}.acme.test`
  const { database: dying, fetch, died } = dyingAfter(database, { step, count })
  await using first = await startNode(dying, { issuer: ca.issuer({ fetch }) })
  await using second = await startNode(database, { issuer: ca.issuer() })
  ca.edge.node = second
  if (reason === 'renewal') {
    second.work()
    await second.get(name)
    await second.stopWorking()
    await database.write((tx) =>
      tx.updateTable('certificates').set({ renew_at: 0, check_at: 0 }).where('name', '=', name).execute(),
    )
  } else {
    await second.request(name)
  }
  const { serial } = await second.state(name)
  const before = ca.orders.length
  let isDead = false
  died.then(() => {
    isDead = true
  })
  await renewDue(first.context, silent).catch(() => {})
  first.work()
  await first.until(() => isDead || first.installed.includes(name))
  await first.stopWorking()
  if (reason === 'renewal') assert.equal((await second.state(name)).status, 'valid')
  // By then the lease of the first has expired.
  second.clock.ahead = minute
  await renewDue(second.context, silent)
  second.work()
  await second.until(async () => {
    const state = await second.state(name)
    return state.status === 'valid' && state.serial !== serial
  })
  await second.stopWorking()
  return { isDead, orders: ca.orders.length - before }
}

onEachDatabase('an order whose process is killed', ({ open }) => {
  for (const reason of ['first', 'renewal'] as const) {
    test(`after any write is resumed where it was: one order is enough (${reason})`, { skip }, async () => {
      await using ca = await startPebbleCa()
      await using database = await open()
      for (let count = 1; ; count++) {
        const { isDead, orders } = await ordersWhenKilled(ca, database, { step: 'write', count, reason })
        assert.equal(orders, 1, `after write ${count}`)
        if (!isDead) {
          assert.ok(count > 5, `only ${count} writes`)
          return
        }
      }
    })

    test(`after any response of the CA continues, also if the one that created it was lost (${reason})`, {
      skip,
    }, async () => {
      await using ca = await startPebbleCa()
      await using database = await open()
      const ordersPerKill: number[] = []
      for (let count = 1; ; count++) {
        const { isDead, orders } = await ordersWhenKilled(ca, database, { step: 'response', count, reason })
        ordersPerKill.push(orders)
        if (!isDead) break
      }
      assert.ok(ordersPerKill.length > 7, `only ${ordersPerKill.length} responses`)
      assert.deepEqual(new Set(ordersPerKill), new Set([1]))
      const log = await database.read.selectFrom('issuance_log').select('outcome').execute()
      assert.deepEqual(new Set(log.map(({ outcome }) => outcome)), new Set(['issued']))
    })
  }
})
