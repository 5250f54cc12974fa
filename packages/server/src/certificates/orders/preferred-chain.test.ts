import assert from 'node:assert/strict'
import { X509Certificate } from 'node:crypto'
import { test } from 'node:test'
import { skipWithout } from '@masthead/testing/peers/peers.ts'
import { OrderWalk } from '../acme/complete-order.test-kit.ts'
import { PebbleWorld } from '../acme/pebble.test-kit.ts'
import { generateKeyPair } from '../x509/key-pair.ts'
import { chainContains, downloadPreferredChain } from './preferred-chain.ts'

test('of the chains that a CA offers the one with the wanted root is taken, else that of its choice', {
  skip: skipWithout('pebble'),
}, async () => {
  await using world = await PebbleWorld.open({ alternateRoots: 2 })
  const client = world.client()
  const account = await client.register({ key: await generateKeyPair() })
  const walk = await OrderWalk.begin(world, account, 'www.example.com')
  const usual = await walk.finish(() => client)
  const roots = await Promise.all([0, 1, 2].map((index) => world.pebble.issuerRootPem(index)))
  const names = roots.map((pem) => /^CN=(.*)$/m.exec(new X509Certificate(pem).subject)?.[1] ?? assert.fail())
  assert.equal(new Set(names).size, 3)
  const chainUrl = walk.order.certificate ?? assert.fail()
  const chosen = async (issuer: string | null) =>
    (await downloadPreferredChain(client, account, chainUrl, issuer)).chainPem

  for (const name of names) assert.equal(chainContains(await chosen(name), name), true, name)
  assert.equal(chainContains(usual.chainPem, names[2] ?? ''), false)
  assert.equal(await chosen(null), usual.chainPem)
  assert.equal(await chosen('A Root of Nobody'), usual.chainPem)

  // A CA that does not hand the other one out does not keep the certificate from us.
  const download: typeof client.download = (one, url) =>
    url === chainUrl ? client.download(one, url) : Promise.reject(new Error('not now'))
  assert.deepEqual(
    (await downloadPreferredChain({ download }, account, chainUrl, names[2] ?? '')).chainPem,
    usual.chainPem,
  )
})
