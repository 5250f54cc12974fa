import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { decrypt, encrypt, packEncrypted, unpackEncrypted } from './aes-gcm.ts'

const key = randomBytes(32)

test('a value decrypts with the same key and context only', () => {
  const encrypted = encrypt(key, 'a secret', 'row 1')
  assert.equal(decrypt(key, encrypted, 'row 1').toString(), 'a secret')
  assert.throws(() => decrypt(key, encrypted, 'row 2'))
  assert.throws(() => decrypt(key, encrypted))
  assert.throws(() => decrypt(randomBytes(32), encrypted, 'row 1'))
})

test('a packed value unpacks to the same parts, whatever its length', () => {
  for (const plain of ['', 'a', 'x'.repeat(1_000)]) {
    const encrypted = encrypt(key, plain)
    assert.deepEqual(unpackEncrypted(packEncrypted(encrypted)), encrypted)
  }
})

test('a truncated value does not decrypt', () => {
  const packed = packEncrypted(encrypt(key, ''))
  for (const length of [0, 12, 27]) {
    const cut = Buffer.from(packed, 'base64').subarray(0, length).toString('base64')
    assert.throws(() => decrypt(key, unpackEncrypted(cut)))
  }
})
