import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startEdge } from './edge.test-kit.ts'

test('nothing that was published answers a certificate authority under a name of the platform', async () => {
  await using edge = await startEdge()
  const proof = 'proof of control'
  const files = {
    '/.well-known/acme-challenge/token': proof,
    '/.well-known/acme-challenge/index.html': proof,
    '/.well-known/pki-validation/file.txt': proof,
    '/.well-known/security.txt': 'Contact: mailto:security@acme.com',
    '/404.html': proof,
  }
  await edge.publish('hello', files, { singlePage: true })
  await edge.publish('one--hello', files)
  await edge.publish('moved', files, { redirect: { to: 'www.acme.com', status: 301 } })
  edge.routes.set('www.acme.com', { kind: 'site', slug: 'hello' })
  for (const label of ['hello', 'one--hello', 'moved']) {
    for (const path of [
      '/.well-known/acme-challenge/token',
      '/.well-known/acme-challenge/',
      '/.well-known/acme-challenge/missing',
      '/%2ewell-known/acme-challenge/token',
      '/.well-known/acme%2Dchallenge/token?x',
      '//.well-known//acme-challenge/token',
      '/.well-known/pki-validation/file.txt',
    ]) {
      const { status, headers, body } = await edge.ask(path, { host: `${label}.masthead.localhost` })
      assert.deepEqual([status, headers.location], [404, undefined], `${label} ${path}`)
      assert.ok(!body.includes(proof), path)
    }
  }
  assert.equal((await edge.ask('/.well-known/security.txt')).status, 200)
  const own = await edge.ask('/.well-known/acme-challenge/token', { host: 'www.acme.com' })
  assert.equal(own.body.toString(), proof, 'a domain of the tenant is theirs to prove')
})
