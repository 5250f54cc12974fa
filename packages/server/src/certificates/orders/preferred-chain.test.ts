import assert from 'node:assert/strict'
import { X509Certificate } from 'node:crypto'
import { test } from 'node:test'
import { skipWithout } from '@masthead/testing/peers/peers.ts'
import { TestOrder } from '../acme/complete-order.test-kit.ts'
import { TestPebble } from '../acme/pebble.test-kit.ts'
import { generateKeyPair } from '../x509/key-pair.ts'
import { chainContains, downloadPreferredChain } from './preferred-chain.ts'

test('the chain with the preferred root is used if the CA offers it, otherwise its default chain', {
  skip: skipWithout('pebble'),
}, async () => {
  await using pebble = await TestPebble.open({ alternateRoots: 2 })
  const client = pebble.client()
  const account = await client.register({ key: await generateKeyPair() })
  const order = await TestOrder.place(pebble, account, 'www.example.com')
  const standard = await order.finish(() => client)
  const roots = await Promise.all([0, 1, 2].map((index) => pebble.ca.issuerRootPem(index)))
  const names = roots.map((pem) => /^CN=(.*)$/m.exec(new X509Certificate(pem).subject)?.[1] ?? assert.fail())
  assert.equal(new Set(names).size, 3)
  const chainUrl = order.order.certificate ?? assert.fail()
  const chosen = async (issuer: string | null) =>
    (await downloadPreferredChain(client, account, chainUrl, issuer)).chainPem

  for (const name of names) assert.equal(chainContains(await chosen(name), name), true, name)
  assert.equal(chainContains(standard.chainPem, names[2] ?? ''), false)
  assert.equal(await chosen(null), standard.chainPem)
  assert.equal(await chosen('A Root of Nobody'), standard.chainPem)

  // If the alternate cannot be downloaded, we still get the certificate.
  const download: typeof client.download = (one, url) =>
    url === chainUrl ? client.download(one, url) : Promise.reject(new Error('not now'))
  assert.deepEqual(
    (await downloadPreferredChain({ download }, account, chainUrl, names[2] ?? '')).chainPem,
    standard.chainPem,
  )
})
