import assert from 'node:assert/strict'
import { test } from 'node:test'
import { skipWithout } from '@masthead/testing/peers/peers.ts'
import { onEachDatabase } from '../../database/each-database.test-kit.ts'
import type { Fetch } from '../acme/exchange.ts'
import { startPebbleCa } from '../issuing.test-kit.ts'

const skip = skipWithout('pebble')
const name = 'www.acme.test'

/** Replicas of a CA that lag: they show an order as ready for some looks after it was finalized. */
function lagging(stale: number) {
  const finalized = { count: 0, looks: 0, stale }
  const fetch =
    (real: Fetch): Fetch =>
    async (url, init) => {
      const { pathname } = new URL(url)
      const answer = await real(url, init)
      const isFinalize = pathname.startsWith('/finalize-order')
      if (isFinalize) finalized.count++
      if (finalized.count === 0 || (!isFinalize && !pathname.startsWith('/my-order'))) return answer
      if (finalized.looks++ >= finalized.stale || !answer.ok) return answer
      const order = (await answer.json()) as object
      return Response.json({ ...order, status: 'ready', certificate: undefined }, { headers: answer.headers })
    }
  return { fetch, finalized }
}

onEachDatabase('an order that still looks ready after it was finalized', ({ open }) => {
  test('is looked at again, and not finalized again', { skip }, async () => {
    await using ca = await startPebbleCa()
    await using database = await open()
    const { fetch, finalized } = lagging(8)
    await using node = await ca.startWorking(database, { fetch })
    await node.get(name)
    assert.equal(finalized.count, 1)
    assert.deepEqual(
      node.progress.map(({ progress }) => progress.step),
      ['ordered', 'installed'],
    )
  })

  test('is finalized once per attempt, and the next one finds out that it was', { skip }, async () => {
    await using ca = await startPebbleCa()
    await using database = await open()
    const { fetch, finalized } = lagging(Number.POSITIVE_INFINITY)
    await using node = await ca.startWorking(database, { fetch })
    await node.request(name)
    await node.until(() => finalized.looks > 10)
    assert.equal(finalized.count, 1)
    await node.stopWorking()
    // One more, so that the next attempt finalizes it again.
    finalized.stale = finalized.looks + 1
    node.work()
    await node.until(() => node.progress.length === 2)
    assert.deepEqual(
      node.progress.map(({ progress }) => progress.step),
      ['ordered', 'installed'],
    )
    assert.deepEqual([finalized.count, ca.orders.length], [2, 1])
  })
})
