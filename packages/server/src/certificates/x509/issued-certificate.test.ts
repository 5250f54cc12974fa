import assert from 'node:assert/strict'
import { X509Certificate } from 'node:crypto'
import { test } from 'node:test'
import { day } from '../../kernel/clock.ts'
import { createRoot, issueLeaf } from '../internal-ca/internal-ca.ts'
import { readIssuedCertificate, unusableReason } from './issued-certificate.ts'
import { generateKeyPair } from './key-pair.ts'

const now = Date.parse('2026-08-01T12:00:00Z')
const name = 'www.acme.localhost'

async function issue(to = name) {
  const root = await createRoot(now)
  const keys = await generateKeyPair()
  return { root, keys, ...(await issueLeaf(root, { name: to, publicKey: keys.publicKey, now })) }
}

test('a whole chain is read, whatever its whitespace', async () => {
  const { root, chainPem } = await issue()
  const leaf = new X509Certificate(chainPem)
  assert.deepEqual(readIssuedCertificate(`\n${chainPem}\r\n\n${root.certificatePem}\n\n`), {
    chainPem: chainPem + root.certificatePem,
    serial: leaf.serialNumber.toLowerCase(),
    notBefore: Date.parse(leaf.validFrom),
    notAfter: Date.parse(leaf.validTo),
  })
  assert.equal(Date.parse(leaf.validTo), now + 7 * day)
  assert.equal(readIssuedCertificate(chainPem.repeat(10))?.chainPem, chainPem.repeat(10))
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

test('a wildcard is usable for itself and the names below it', async () => {
  const { chainPem, keys } = await issue('*.acme.localhost')
  for (const covered of ['*.acme.localhost', 'www.acme.localhost']) {
    assert.equal(unusableReason(chainPem, { name: covered, keys, now }), null)
  }
  for (const other of ['acme.localhost', 'a.b.acme.localhost', 'www.other.localhost']) {
    assert.match(unusableReason(chainPem, { name: other, keys, now }) ?? '', /not for/)
  }
})
