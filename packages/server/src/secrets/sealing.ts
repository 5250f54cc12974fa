import { createCipheriv, createDecipheriv, hash, randomBytes } from 'node:crypto'
import type { KeyRing } from './master-key.ts'

/**
 * Keeps keys secret in the database. The purpose names the row that a value is for and is bound to it: a value that
 * is moved to another row does not open there.
 */
export interface Sealing {
  seal(plain: string | Uint8Array, purpose: string): string
  open(sealed: string, purpose: string): Buffer
  /** The same secret under the key that seals now; the value itself where that is so already. */
  renew(sealed: string, purpose: string): string
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
 * The first key seals, all of them open. Keys that were added since are looked for (`again`) before anything is sealed,
 * and when a value is under an unknown one: so the master key can be changed while processes run.
 */
export function createSealing(keys: KeyRing, again: () => KeyRing = () => keys): Sealing {
  let known = keys

  /** Whoever changes keys leaves the one before: without it they are those of somebody else, or far ahead of us. */
  function newest(): Buffer {
    const ring = again()
    if (!ring.some((key) => key.equals(known[0]))) {
      throw new SealingError('other_key', 'The master key was exchanged: this process has to be started anew')
    }
    known = ring
    return known[0]
  }

  function keyOf(id: string, purpose: string): Buffer {
    let key = known.find((one) => keyId(one) === id)
    if (key === undefined) {
      known = again()
      key = known.find((one) => keyId(one) === id)
    }
    if (key !== undefined) return key
    const what = `What is stored for "${purpose}"`
    throw new SealingError('other_key', `${what} is sealed under the master key ${id}, which is not at hand`)
  }

  const sealing: Sealing = {
    seal(plain, purpose) {
      const key = newest()
      const nonce = randomBytes(nonceBytes)
      const cipher = createCipheriv(algorithm, key, nonce, { authTagLength: tagBytes })
      cipher.setAAD(Buffer.from(purpose))
      const content = Buffer.concat([cipher.update(plain), cipher.final()])
      const parts = [nonce, content, cipher.getAuthTag()].map((part) => part.toString('base64url'))
      return ['v1', keyId(key), ...parts].join('.')
    },
    open(sealed, purpose) {
      const [, id = '', ...parts] = sealedPattern.exec(sealed) ?? []
      if (id === '')
        throw new SealingError('damaged', `What is stored for "${purpose}" is not a sealed value`)
      const [nonce, content, tag] = parts.map((part) => Buffer.from(part, 'base64url'))
      const key = keyOf(id, purpose)
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
    renew(sealed, purpose) {
      const isCurrent = keyIdOf(sealed) === keyId(newest())
      return isCurrent ? sealed : sealing.seal(sealing.open(sealed, purpose), purpose)
    },
  }
  return sealing
}

/** The id of the key that a value is sealed under. */
export function keyIdOf(sealed: string): string | undefined {
  return sealedPattern.exec(sealed)?.[1]
}

/** Names a key without giving it away. */
export function keyId(key: Uint8Array): string {
  return hash('sha256', key).slice(0, 8)
}
