import assert from 'node:assert/strict'
import { test } from 'node:test'
import { day } from '../../kernel/clock.ts'
import { createRoot, issueLeaf } from '../internal-ca/internal-ca.ts'
import { readIssuedCertificate, unusableReason } from './issued-certificate.ts'
import { generateKeyPair } from './key-pair.ts'

const now = Date.parse('2026-08-01T12:00:00Z')
const name = 'www.acme.localhost'

async function issue() {
  const root = await createRoot(now)
  const keys = await generateKeyPair()
  return { root, keys, ...(await issueLeaf(root, { name, publicKey: keys.publicKey, now })) }
}

test('a whole chain is read, whatever its whitespace', async () => {
  const { root, chainPem, serial } = await issue()
  const read = readIssuedCertificate(`\n${chainPem}\r\n\n${root.certificatePem}\n\n`)
  assert.equal(read?.chainPem, chainPem + root.certificatePem)
  assert.equal(read?.serial, serial)
})

test('text with anything but certificates, or with too many, is not a chain', async () => {
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

test('a certificate is usable for its own name and key until it expires', async () => {
  const { chainPem, keys } = await issue()
  assert.equal(unusableReason(chainPem, { name, keys, now }), null)
  assert.match(
    unusableReason(chainPem, { name: 'acme.localhost', keys, now }) ?? '',
    /not for acme\.localhost/,
  )
  assert.match(unusableReason(chainPem, { name, keys: await generateKeyPair(), now }) ?? '', /another key/)
  assert.match(unusableReason(chainPem, { name, keys, now: now + 7 * day }) ?? '', /expired/)
  assert.match(unusableReason('hello', { name, keys, now }) ?? '', /not a certificate chain/)
})
