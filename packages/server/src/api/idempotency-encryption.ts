import { hkdfSync } from 'node:crypto'
import { decrypt, encrypt, packEncrypted, unpackEncrypted } from '../secrets/aes-gcm.ts'

/**
 * Responses may contain secrets, such as a new API key. The encryption key is derived from the caller's own
 * credential, which we don't store, so the database alone reveals nothing.
 */
export function encryptResponse(response: unknown, credential: string, idempotencyKey: string): string {
  const key = encryptionKey(credential, idempotencyKey)
  return packEncrypted(encrypt(key, JSON.stringify(response ?? null)))
}

export function decryptResponse(stored: string, credential: string, idempotencyKey: string): unknown {
  const plain = decrypt(encryptionKey(credential, idempotencyKey), unpackEncrypted(stored))
  return JSON.parse(plain.toString()) ?? undefined
}

function encryptionKey(credential: string, idempotencyKey: string): Uint8Array {
  return new Uint8Array(hkdfSync('sha256', credential, idempotencyKey, 'masthead idempotency', 32))
}
