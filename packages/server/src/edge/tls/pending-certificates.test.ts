import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { PendingCertificates, type PendingCertificatesOptions } from './pending-certificates.ts'

function openNames(more: Partial<PendingCertificatesOptions<string>> = {}) {
  const world = { coming: new Set<string>(), there: new Set<string>(), looks: 0 }
  const names = new PendingCertificates<string>({
    isPending: async (name) => {
      world.looks++
      return world.coming.has(name)
    },
    load: async (name) => (world.there.has(name) ? `value of ${name}` : null),
    ...more,
  })
  const arrive = (name: string) => {
    world.coming.delete(name)
    world.there.add(name)
    names.notify([name])
  }
  return { names, world, arrive }
}

test('everyone who asks for a pending certificate shares one wait and gets it', async () => {
  const { names, world, arrive } = openNames()
  world.coming.add('a')
  const waits = [names.wait('a'), names.wait('a'), names.currentWait('a')]
  await turn()
  arrive('a')
  assert.deepEqual(await Promise.all(waits), ['value of a', 'value of a', 'value of a'])
  assert.equal(world.looks, 1)
  assert.equal(names.currentWait('a'), null)
})

test('nobody waits for a certificate that is not pending', async () => {
  const { names } = openNames()
  assert.equal(await names.wait('a'), null)
  assert.equal(names.currentWait('a'), null)
})

test('an unrelated change does not end the wait, but giving up the certificate does', async () => {
  const { names, world } = openNames()
  world.coming.add('a')
  const wait = names.wait('a')
  await turn()
  names.notify(['a'])
  await turn()
  assert.notEqual(names.currentWait('a'), null)
  world.coming.delete('a')
  names.notify(null)
  assert.equal(await wait, null)
})

test('a certificate that arrives during the check is not missed', async () => {
  const looked = Promise.withResolvers<boolean>()
  const { names, arrive } = openNames({ isPending: () => looked.promise })
  const wait = names.wait('a')
  arrive('a')
  looked.resolve(false)
  assert.equal(await wait, 'value of a')
})

test('a certificate that arrived before the first check is not missed', async () => {
  const { names, world } = openNames()
  // Installed by another process, whose notification has not arrived yet.
  world.there.add('a')
  assert.equal(await names.wait('a'), 'value of a')
})

test('a certificate that arrives while an earlier change is handled is not missed', async () => {
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
  names.notify(['a'])
  await turn()
  arrive('a')
  looks[0]?.resolve(null)
  while (looks.length < 2) await turn()
  looks[1]?.resolve('value of a')
  assert.equal(await wait, 'value of a')
  assert.equal(looks.length, 2)
})

test('a wait times out, and the number of names is bounded', async () => {
  const { names, world } = openNames({ timeoutMs: 20, maxNames: 1 })
  world.coming.add('a').add('b')
  const wait = names.wait('a')
  assert.equal(await names.wait('b'), null)
  assert.equal(await wait, null)
})

test('an error in the check ends the wait with that error', async () => {
  const { names } = openNames({ isPending: () => Promise.reject(new Error('away')) })
  await assert.rejects(names.wait('a'), /away/)
  assert.equal(names.currentWait('a'), null)
})

test('a check that causes the next change does not spin', async () => {
  let looks = 0
  const names: PendingCertificates<string> = new PendingCertificates<string>({
    // As when an edge keeps requesting what the worker drops. Bounded, in case nothing else stops it.
    isPending: async () => ++looks < 100_000,
    load: async () => {
      names.notify(['a'])
      return null
    },
    timeoutMs: 300,
  })
  const wait = names.wait('a')
  names.notify(['a'])
  assert.equal(await wait, null)
  assert.ok(looks < 20, `${looks} looks`)
})
