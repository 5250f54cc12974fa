import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'

const algorithm = 'aes-256-gcm'
const nonceBytes = 12
const tagBytes = 16

export interface Encrypted {
  nonce: Uint8Array
  tag: Uint8Array
  content: Uint8Array
}

/** `context` is authenticated but not stored: the value only decrypts with the same context. */
export function encrypt(key: Uint8Array, plain: string | Uint8Array, context = '') {
  const nonce = randomBytes(nonceBytes)
  const cipher = createCipheriv(algorithm, key, nonce, { authTagLength: tagBytes })
  cipher.setAAD(Buffer.from(context))
  const content = Buffer.concat([cipher.update(plain), cipher.final()])
  return { nonce, tag: cipher.getAuthTag(), content } satisfies Encrypted
}

/** Throws if the key or context differs from the one used to encrypt, or the value was changed. */
export function decrypt(key: Uint8Array, { nonce, tag, content }: Encrypted, context = ''): Buffer {
  const decipher = createDecipheriv(algorithm, key, nonce, { authTagLength: tagBytes })
  decipher.setAAD(Buffer.from(context))
  decipher.setAuthTag(tag)
  return Buffer.concat([decipher.update(content), decipher.final()])
}

/** Nonce, tag and content in one base64 text. */
export function packEncrypted({ nonce, tag, content }: Encrypted): string {
  return Buffer.concat([nonce, tag, content]).toString('base64')
}

export function unpackEncrypted(text: string): Encrypted {
  const bytes = Buffer.from(text, 'base64')
  const tagEnd = nonceBytes + tagBytes
  return {
    nonce: bytes.subarray(0, nonceBytes),
    tag: bytes.subarray(nonceBytes, tagEnd),
    content: bytes.subarray(tagEnd),
  }
}
