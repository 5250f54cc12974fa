import assert from 'node:assert/strict'
import { test } from 'node:test'
import { day } from '../clock.ts'
import { issueLeaf } from './internal-ca/leaf.ts'
import { newRoot } from './internal-ca/root.ts'
import { misfit, readIssuedCertificate } from './issued-certificate.ts'
import { newKeyPair } from './key-pair.ts'

const now = Date.parse('2026-08-01T12:00:00Z')
const name = 'www.acme.localhost'

async function issue() {
  const root = await newRoot(now)
  const keys = await newKeyPair()
  return { root, keys, ...(await issueLeaf(root, { name, publicKey: keys.publicKey, now })) }
}

test('a chain is read whole, however it is spaced', async () => {
  const { root, chainPem, serial } = await issue()
  const read = readIssuedCertificate(`\n${chainPem}\r\n\n${root.certificatePem}\n\n`)
  assert.equal(read?.chainPem, chainPem + root.certificatePem)
  assert.equal(read?.serial, serial)
})

test('anything beside certificates, or too many of them, is no chain', async () => {
  const { root, chainPem } = await issue()
  const broken = chainPem.replace(/[A-Za-z]{4}\n/, '\n')
  for (const text of [
    '',
    'hello',
    `${chainPem}hello`,
    root.privateKeyPem + chainPem,
    broken,
    chainPem.repeat(11),
  ]) {
    assert.equal(readIssuedCertificate(text), null)
  }
})

test('a certificate fits its own name and key until it ends', async () => {
  const { chainPem, keys } = await issue()
  assert.equal(misfit(chainPem, { name, keys, now }), null)
  assert.match(misfit(chainPem, { name: 'acme.localhost', keys, now }) ?? '', /not for acme\.localhost/)
  assert.match(misfit(chainPem, { name, keys: await newKeyPair(), now }) ?? '', /another key/)
  assert.match(misfit(chainPem, { name, keys, now: now + 7 * day }) ?? '', /ended/)
  assert.match(misfit('hello', { name, keys, now }) ?? '', /not a chain/)
})
