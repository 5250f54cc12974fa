import { createCipheriv, createDecipheriv, hash, randomBytes } from 'node:crypto'
import type { KeyRing } from './master-key.ts'

/**
 * Keeps keys secret in the database. The purpose names the row that a value is for and is bound to it: a value that
 * is moved to another row does not open there.
 */
export interface Sealing {
  seal(plain: string | Uint8Array, purpose: string): string
  open(sealed: string, purpose: string): Buffer
}

/** `other_key`: sealed under a master key that is not at hand. `damaged`: not what was sealed for this purpose. */
export class SealingError extends Error {
  override readonly name = 'SealingError'
  readonly kind: 'other_key' | 'damaged'

  constructor(kind: 'other_key' | 'damaged', message: string) {
    super(message)
    this.kind = kind
  }
}

const algorithm = 'aes-256-gcm'
const nonceBytes = 12
const tagBytes = 16
const sealedPattern = /^v1\.([0-9a-f]{8})\.([\w-]+)\.([\w-]*)\.([\w-]+)$/

/**
 * The first key seals, all of them open. A value under an unknown key makes it look for keys that were added since
 * (`again`): so the master key can be changed while processes run.
 */
export function createSealing(keys: KeyRing, again: () => KeyRing = () => keys): Sealing {
  let known = keys

  function keyOf(id: string): Buffer {
    let key = known.find((one) => keyId(one) === id)
    if (key === undefined) {
      known = again()
      key = known.find((one) => keyId(one) === id)
    }
    if (key !== undefined) return key
    throw new SealingError('other_key', `It is sealed under the master key ${id}, which is not at hand`)
  }

  return {
    seal(plain, purpose) {
      const nonce = randomBytes(nonceBytes)
      const cipher = createCipheriv(algorithm, known[0], nonce, { authTagLength: tagBytes })
      cipher.setAAD(Buffer.from(purpose))
      const content = Buffer.concat([cipher.update(plain), cipher.final()])
      const parts = [nonce, content, cipher.getAuthTag()].map((part) => part.toString('base64url'))
      return ['v1', keyId(known[0]), ...parts].join('.')
    },
    open(sealed, purpose) {
      const [, id = '', ...parts] = sealedPattern.exec(sealed) ?? []
      if (id === '')
        throw new SealingError('damaged', `What is stored for "${purpose}" is not a sealed value`)
      const [nonce, content, tag] = parts.map((part) => Buffer.from(part, 'base64url'))
      const key = keyOf(id)
      try {
        if (nonce === undefined || content === undefined || tag === undefined) throw new Error('incomplete')
        const decipher = createDecipheriv(algorithm, key, nonce, { authTagLength: tagBytes })
        decipher.setAAD(Buffer.from(purpose))
        decipher.setAuthTag(tag)
        return Buffer.concat([decipher.update(content), decipher.final()])
      } catch {
        throw new SealingError('damaged', `What is stored for "${purpose}" was not sealed for it, or changed`)
      }
    },
  }
}

/** Names a key without giving it away. */
export function keyId(key: Uint8Array): string {
  return hash('sha256', key).slice(0, 8)
}
