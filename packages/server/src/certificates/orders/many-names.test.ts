import assert from 'node:assert/strict'
import { test } from 'node:test'
import { skipWithout } from '@masthead/testing/peers/peers.ts'
import { openDatabase } from '../../database/database.ts'
import { onEachDatabase } from '../../database/each-database.test-kit.ts'
import { startNode, startPebbleCa } from '../issuing.test-kit.ts'

const skip = skipWithout('pebble')
const silent = { warn: () => {} }

const namesOf = (count: number) => Array.from({ length: count }, (_, index) => `n${index}.acme${index}.test`)

onEachDatabase('many certificates at once', ({ open, location, dialect }) => {
  if (dialect === 'sqlite') {
    test('none of 200 names is lost or ordered twice', { skip }, async () => {
      await using ca = await startPebbleCa()
      await using database = await open()
      await using node = await ca.startWorking(database)
      const names = namesOf(200)
      await node.request(...names)
      await node.until(() => node.installed.length >= names.length)
      await node.stopWorking()
      assert.deepEqual(node.installed.toSorted(), names.toSorted())
      assert.equal(ca.orders.length, 200)
      assert.deepEqual(node.errors, [])
    })
    return
  }

  test('two nodes share them: one order per name, and any node responds to challenges', {
    skip,
  }, async () => {
    await using ca = await startPebbleCa()
    await using place = await location()
    const [one, two, three] = [
      await openDatabase(place, silent),
      await openDatabase(place, silent),
      await openDatabase(place, silent),
    ]
    {
      await using first = await startNode(one, { issuer: ca.issuer(), concurrency: 5 })
      await using second = await startNode(two, { issuer: ca.issuer(), concurrency: 5 })
      await using edge = await startNode(three, { issuer: ca.issuer() })
      ca.edge.node = edge
      first.work()
      second.work()
      const names = namesOf(60)
      await edge.request(...names)
      await edge.until(() => first.installed.length + second.installed.length >= names.length)
      await first.stopWorking()
      await second.stopWorking()
      assert.deepEqual([...first.installed, ...second.installed].toSorted(), names.toSorted())
      assert.ok(first.installed.length > 0 && second.installed.length > 0)
      assert.equal(ca.orders.length, names.length)
      assert.ok(ca.edge.requests >= names.length)
      const accounts = await one.read.selectFrom('acme_accounts').selectAll().execute()
      assert.equal(accounts.length, 1)
      assert.deepEqual(
        first.heard.filter((change) => change.startsWith('certificate n')).length,
        names.length,
      )
    }
    await Promise.all([one.close(), two.close(), three.close()])
  })
})
