import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { test } from 'node:test'
import { generateKeyPair, keyPairFromPem, privateKeyPem } from './key-pair.ts'

test('a key read back from PEM is the same key', async () => {
  const pem = privateKeyPem(await generateKeyPair())
  assert.match(pem, /^-----BEGIN PRIVATE KEY-----\n/)
  assert.equal(privateKeyPem(keyPairFromPem(pem)), pem)
})

test('anything but a P-256 private key is rejected without revealing it', () => {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-384' })
  const other = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
  for (const pem of ['', 'secret', other]) {
    assert.throws(() => keyPairFromPem(pem), { message: 'Not a private key for ECDSA P-256 in PEM' })
  }
})
