import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { PendingCertificates, type PendingCertificatesOptions } from './pending-certificates.ts'

function openNames(more: Partial<PendingCertificatesOptions<string>> = {}) {
  const world = { coming: new Set<string>(), there: new Set<string>(), looks: 0 }
  const names = new PendingCertificates<string>({
    isOnItsWay: async (name) => {
      world.looks++
      return world.coming.has(name)
    },
    load: async (name) => (world.there.has(name) ? `value of ${name}` : null),
    ...more,
  })
  const arrive = (name: string) => {
    world.coming.delete(name)
    world.there.add(name)
    names.tell([name])
  }
  return { names, world, arrive }
}

test('all who ask for what is on its way get it when it is there, and share one wait', async () => {
  const { names, world, arrive } = openNames()
  world.coming.add('a')
  const waits = [names.wait('a'), names.wait('a'), names.underWay('a')]
  await turn()
  arrive('a')
  assert.deepEqual(await Promise.all(waits), ['value of a', 'value of a', 'value of a'])
  assert.equal(world.looks, 1)
  assert.equal(names.underWay('a'), null)
})

test('what is not on its way is not waited for', async () => {
  const { names } = openNames()
  assert.equal(await names.wait('a'), null)
  assert.equal(names.underWay('a'), null)
})

test('another change about the name does not end the wait, and one that gives it up does', async () => {
  const { names, world } = openNames()
  world.coming.add('a')
  const wait = names.wait('a')
  await turn()
  names.tell(['a'])
  await turn()
  assert.notEqual(names.underWay('a'), null)
  world.coming.delete('a')
  names.tell(null)
  assert.equal(await wait, null)
})

test('what arrives while it is looked up whether it is on its way is not missed', async () => {
  const looked = Promise.withResolvers<boolean>()
  const { names, arrive } = openNames({ isOnItsWay: () => looked.promise })
  const wait = names.wait('a')
  arrive('a')
  looked.resolve(false)
  assert.equal(await wait, 'value of a')
})

test('what arrived before it was looked up whether it is on its way is not missed', async () => {
  const { names, world } = openNames()
  // Installed after the first look, by another process: no news of it have come yet.
  world.there.add('a')
  assert.equal(await names.wait('a'), 'value of a')
})

test('what arrives while an earlier change is looked into is not missed', async () => {
  const looks: PromiseWithResolvers<string | null>[] = []
  const { names, world, arrive } = openNames({
    load: () => {
      const look = Promise.withResolvers<string | null>()
      looks.push(look)
      return look.promise
    },
  })
  world.coming.add('a')
  const wait = names.wait('a')
  await turn()
  names.tell(['a'])
  await turn()
  arrive('a')
  looks[0]?.resolve(null)
  while (looks.length < 2) await turn()
  looks[1]?.resolve('value of a')
  assert.equal(await wait, 'value of a')
  assert.equal(looks.length, 2)
})

test('a wait ends when patience does, and no more names are waited for than is allowed', async () => {
  const { names, world } = openNames({ patience: 20, mostNames: 1 })
  world.coming.add('a').add('b')
  const wait = names.wait('a')
  assert.equal(await names.wait('b'), null)
  assert.equal(await wait, null)
})

test('a fault in the look-up ends the wait with it', async () => {
  const { names } = openNames({ isOnItsWay: () => Promise.reject(new Error('away')) })
  await assert.rejects(names.wait('a'), /away/)
  assert.equal(names.underWay('a'), null)
})

test('a look that causes the next change keeps neither the event loop nor the look-ups busy', async () => {
  let looks = 0
  const names: PendingCertificates<string> = new PendingCertificates<string>({
    // As it was when an edge asked for what a worker dropped. Without an end, in case nothing else is ever done.
    isOnItsWay: async () => ++looks < 100_000,
    load: async () => {
      names.tell(['a'])
      return null
    },
    patience: 300,
  })
  const wait = names.wait('a')
  names.tell(['a'])
  assert.equal(await wait, null)
  assert.ok(looks < 20, `${looks} looks`)
})
