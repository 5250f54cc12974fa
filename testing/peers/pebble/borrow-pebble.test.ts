import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { test } from 'node:test'
import { freePort } from '../../free-port.ts'
import { skipWithout } from '../peers.ts'
import { borrowPebble } from './borrow-pebble.ts'

const skip = skipWithout('pebble')
/** No other test uses these. */
const settings = { certificateSeconds: 100_000 + (await freePort()) }

test('a Pebble has one borrower at a time, and the next one gets it as long as it is usable', {
  skip,
}, async () => {
  await using first = await borrowPebble(settings)
  const second = await borrowPebble(settings)
  assert.notEqual(second.directoryUrl, first.directoryUrl)
  const root = await second.issuerRootPem()
  assert.notEqual(root, await first.issuerRootPem())
  second.pause()
  await second[Symbol.asyncDispose]()

  // Somebody still listens where it would look at challenges.
  const leftOver = createServer().listen(second.httpPort, '127.0.0.1')
  await once(leftOver, 'listening')
  const third = await borrowPebble(settings)
  assert.notEqual(third.directoryUrl, second.directoryUrl)
  await third.stop()
  await assert.rejects(third.issuerRootPem())
  await third[Symbol.asyncDispose]()
  leftOver.close()
  await once(leftOver, 'close')

  await using again = await borrowPebble(settings)
  assert.equal(again.directoryUrl, second.directoryUrl)
  assert.equal(await again.issuerRootPem(), root)
  await using fresh = await borrowPebble(settings)
  assert.notEqual(fresh.directoryUrl, third.directoryUrl)
})
