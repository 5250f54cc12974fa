import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { skipWithout } from '@masthead/testing/peers/peers.ts'
import { readPemChain, unusableReason } from '../x509/issued-certificate.ts'
import { generateKeyPair } from '../x509/key-pair.ts'
import type { AcmeAccount } from './account.ts'
import type { AcmeClient } from './acme-client.ts'
import type { ChallengeType } from './authorization.ts'
import { TestOrder } from './complete-order.test-kit.ts'
import { TestPebble } from './pebble.test-kit.ts'

const skip = skipWithout('pebble')

/** Whether each certificate of the chain is signed by the next, and the last by the root. */
async function isSignedBy(rootPem: string, chainPem: string): Promise<boolean> {
  const chain = readPemChain(chainPem + rootPem) ?? []
  return chain.length > 2 && chain.every((one, index) => one.verify((chain[index + 1] ?? one).publicKey))
}

test('against Pebble', { skip }, async (t) => {
  let pebble: TestPebble
  let client: AcmeClient
  let account: AcmeAccount
  before(async () => {
    pebble = await TestPebble.open({ alternateRoots: 2, authzReuse: 100 })
    client = pebble.client()
    account = await client.register({ key: await generateKeyPair(), contact: 'operator@example.com' })
  })
  after(() => pebble[Symbol.asyncDispose]())

  for (const type of ['http-01', 'tls-alpn-01'] satisfies ChallengeType[]) {
    await t.test(`${type} gives a certificate signed by the root of the CA`, async () => {
      const name = `${type}.example.com`
      const order = await TestOrder.place(pebble, account, name, [type])
      const issued = await order.finish(() => client)
      assert.equal(unusableReason(issued.chainPem, { name, keys: order.keys, now: Date.now() }), null)
      assert.equal(await isSignedBy(await pebble.ca.issuerRootPem(), issued.chainPem), true)
    })
  }

  await t.test('a name of more than 64 characters gets a certificate', async () => {
    const name = `${'long'.repeat(15)}.${'name'.repeat(10)}.example.com`
    const order = await TestOrder.place(pebble, account, name)
    const { chainPem } = await order.finish(() => client)
    assert.equal(unusableReason(chainPem, { name, keys: order.keys, now: Date.now() }), null)
  })

  await t.test('a new client can resume an order at every step', async () => {
    const order = await TestOrder.place(pebble, account, 'resumed.example.com')
    await order.finish(() => pebble.client())
    assert.deepEqual(
      order.steps.filter((step) => step !== 'wait'),
      ['challenge', 'finalize', 'download'],
    )
  })

  await t.test('a name validated a moment ago is not validated again', async () => {
    await (await TestOrder.place(pebble, account, 'known.example.com')).finish(() => client)
    const second = await TestOrder.place(pebble, account, 'known.example.com')
    await second.finish(() => client)
    assert.equal(second.steps.includes('challenge'), false)
  })

  await t.test('a challenge can be answered again after the CA has finished it', async () => {
    const order = await TestOrder.place(pebble, account, 'twice.example.com')
    const [url = ''] = order.order.authorizations
    const { challenges } = await client.readAuthorization(account, url)
    const challenge = challenges.find(({ type }) => type === 'http-01')
    assert.ok(challenge)
    await order.finish(() => client)
    const { status } = await client.answerChallenge(account, challenge)
    assert.equal(status, 'valid')
  })

  await t.test('the same certificate can be downloaded with each alternate chain', async () => {
    const first = await (await TestOrder.place(pebble, account, 'alternate.example.com')).finish(() => client)
    assert.equal(first.alternates.length, 2)
    const roots = await Promise.all([0, 1, 2].map((index) => pebble.ca.issuerRootPem(index)))
    const chains = await Promise.all(first.alternates.map((url) => client.download(account, url)))
    for (const [index, { chainPem, serial }] of chains.entries()) {
      assert.equal(serial, first.serial)
      assert.equal(await isSignedBy(roots[0] ?? '', chainPem), false)
      assert.equal(await isSignedBy(roots[index + 1] ?? '', chainPem), true)
    }
  })

  await t.test('registering a key twice gives the same account, which is found by its key', async () => {
    const key = await generateKeyPair()
    assert.equal(await client.findAccount(key), null)
    const first = await client.register({ key })
    assert.deepEqual(await client.register({ key }), first)
    assert.deepEqual(await pebble.client().findAccount(key), first)
  })

  await t.test('after a key change an account accepts only the new key', async () => {
    const [oldKey, newKey] = [await generateKeyPair(), await generateKeyPair()]
    const old = await client.register({ key: oldKey })
    const changed = await client.changeKey(old, newKey)
    assert.equal(changed.url, old.url)
    assert.deepEqual(await client.findAccount(newKey), changed)
    await client.newOrder(changed, { names: ['changed.example.com'] })
    await assert.rejects(client.newOrder(old, { names: ['changed.example.com'] }), {
      name: 'AcmeProblem',
      status: 400,
    })
    assert.equal(await client.findAccount(oldKey), null)
  })

  await t.test('an unknown account is reported as missing', async () => {
    const stranger = { key: await generateKeyPair(), url: `${account.url}000` }
    const asked = client.newOrder(stranger, { names: ['stranger.example.com'] })
    await assert.rejects(asked, { name: 'AcmeProblem', kind: 'account_missing' })
  })

  await t.test('a challenge with a wrong response is unauthorized, with the CA’s explanation', async () => {
    const order = await TestOrder.place(pebble, account, 'unsolved.example.com')
    await assert.rejects(
      order.finish(() => client, false),
      (problem: Record<string, unknown>) => {
        assert.equal(problem.kind, 'unauthorized')
        assert.match(JSON.stringify(problem.document), /urn:ietf:params:acme:error:unauthorized.*404/)
        return true
      },
    )
  })

  await t.test('a name where nothing listens is a connection problem', async () => {
    await pebble.dns.setAddresses('nobody.example.com', ['127.7.7.7'])
    const order = await TestOrder.place(pebble, account, 'nobody.example.com')
    await assert.rejects(
      order.finish(() => client),
      { kind: 'connection' },
    )
  })

  await t.test('an invalid CSR is malformed', async () => {
    await (await TestOrder.place(pebble, account, 'nonsense.example.com')).finish(() => client)
    const order = await client.newOrder(account, { names: ['nonsense.example.com'] })
    await assert.rejects(client.finalize(account, order, Buffer.from('nonsense')), { kind: 'malformed' })
  })

  await t.test('a CA without ARI has no renewal info, and an order may say what it replaces', async () => {
    assert.equal(await client.readRenewalInfo('aYhba4dGQEHhs3uEe6CuLN4ByNQ.AIdlQyE'), null)
    const names = ['replaced.example.com']
    const order = await client.newOrder(account, { names, replaces: 'aYhba4dGQEHhs3uEe6CuLN4ByNQ.AIdlQyE' })
    assert.equal(order.status, 'pending')
    assert.ok(order.expires !== null && order.expires > Date.now())
  })
})

test('twenty concurrent orders succeed though half of all nonces are rejected', { skip }, async () => {
  await using pebble = await TestPebble.open({ nonceReject: 50 })
  const client = pebble.client()
  const account = await client.register({ key: await generateKeyPair() })
  const names = Array.from({ length: 20 }, (_, index) => `nonce-${index}.example.com`)
  const chains = await Promise.all(
    names.map(async (name) => (await TestOrder.place(pebble, account, name)).finish(() => client)),
  )
  assert.equal(new Set(chains.map(({ serial }) => serial)).size, names.length)
})

test('an external account is required if the CA says so, and must be the right one', {
  skip,
}, async () => {
  const hmacKey = Buffer.from('a secret of the other account').toString('base64url')
  await using pebble = await TestPebble.open({ externalAccounts: { 'kid-1': hmacKey } })
  const client = pebble.client()
  const key = await generateKeyPair()
  assert.equal((await client.directory()).meta.externalAccountRequired, true)
  await assert.rejects(client.register({ key }), (problem: { document?: { type?: string } }) => {
    assert.equal(problem.document?.type, 'urn:ietf:params:acme:error:externalAccountRequired')
    return true
  })
  const wrong = { kid: 'kid-1', hmacKey: Buffer.from('another').toString('base64url') }
  await assert.rejects(client.register({ key, externalAccount: wrong }), { kind: 'account_refused' })
  const account = await client.register({ key, externalAccount: { kid: 'kid-1', hmacKey } })
  assert.deepEqual(await client.findAccount(key), account)
})

test('while the CA is down it is unreachable, and afterwards orders continue', { skip }, async () => {
  await using pebble = await TestPebble.open()
  const client = pebble.client(1000)
  const account = await client.register({ key: await generateKeyPair() })
  const order = await TestOrder.place(pebble, account, 'patient.example.com')

  pebble.ca.pause()
  await assert.rejects(client.readOrder(account, order.order.url), { kind: 'unreachable' })
  pebble.ca.resume()
  await order.finish(() => client)

  await pebble.ca.stop()
  await assert.rejects(client.newOrder(account, { names: ['patient.example.com'] }), { kind: 'unreachable' })
  await pebble.ca.start()
  // Pebble keeps nothing across a restart, so the key needs an account again.
  await assert.rejects(client.newOrder(account, { names: ['patient.example.com'] }), {
    kind: 'account_missing',
  })
  const again = await client.register({ key: account.key })
  await (await TestOrder.place(pebble, again, 'patient.example.com')).finish(() => client)
})
