import { hash } from 'node:crypto'
import { decrypt, encrypt } from './aes-gcm.ts'
import type { KeyRing } from './master-key.ts'

/**
 * Encrypts private keys for storage in the database. The purpose names the row a value belongs to and is authenticated
 * with it, so a value moved to another row does not open there.
 */
export interface Sealing {
  seal(plain: string | Uint8Array, purpose: string): string
  open(sealed: string, purpose: string): Buffer
  /** Seals the same secret under the newest key; returns the value unchanged if it already is. */
  renew(sealed: string, purpose: string): string
}

/** A column whose values are sealed, each for the purpose of its row. */
export interface SealedColumn {
  table: string
  column: string
  /** The column that identifies the row. */
  key: string
  purpose(key: string): string
  /**
   * Needed for a day at most. A rotation removes values that cannot be opened, instead of refusing: an older version,
   * which did not know the column, may have rotated the key without them.
   */
  isTemporary?: boolean
}

/** `other_key`: sealed under a master key we don't have. `damaged`: changed, or sealed for another purpose. */
export class SealingError extends Error {
  override readonly name = 'SealingError'
  readonly kind: 'other_key' | 'damaged'

  constructor(kind: 'other_key' | 'damaged', message: string) {
    super(message)
    this.kind = kind
  }
}

const sealedPattern = /^v1\.([0-9a-f]{8})\.([\w-]+)\.([\w-]*)\.([\w-]+)$/

/**
 * The first key seals, and all keys open. `reload` reads the keys again, before anything is sealed and when a value
 * needs an unknown key, so the master key can be rotated while processes run.
 */
export function createSealing(keys: KeyRing, reload: () => KeyRing = () => keys): Sealing {
  let known = keys

  /** Rotation keeps the previous key. If ours is missing, the keys were replaced or we missed several rotations. */
  function newest(): Buffer {
    const ring = reload()
    if (!ring.some((key) => key.equals(known[0]))) {
      throw new SealingError('other_key', 'The master key was replaced. Restart this process')
    }
    known = ring
    return known[0]
  }

  function findKey(id: string, purpose: string): Buffer {
    let key = known.find((one) => keyId(one) === id)
    if (key === undefined) {
      known = reload()
      key = known.find((one) => keyId(one) === id)
    }
    if (key !== undefined) return key
    throw new SealingError(
      'other_key',
      `The value for "${purpose}" is sealed under master key ${id}, which is not available`,
    )
  }

  const sealing: Sealing = {
    seal(plain, purpose) {
      const key = newest()
      const { nonce, content, tag } = encrypt(key, plain, purpose)
      const parts = [nonce, content, tag].map((part) => part.toString('base64url'))
      return ['v1', keyId(key), ...parts].join('.')
    },
    open(sealed, purpose) {
      const [, id = '', ...parts] = sealedPattern.exec(sealed) ?? []
      if (id === '') throw new SealingError('damaged', `The value for "${purpose}" is not a sealed value`)
      const [nonce, content, tag] = parts.map((part) => Buffer.from(part, 'base64url'))
      const key = findKey(id, purpose)
      try {
        if (nonce === undefined || content === undefined || tag === undefined) throw new Error('incomplete')
        return decrypt(key, { nonce, tag, content }, purpose)
      } catch {
        throw new SealingError(
          'damaged',
          `The value for "${purpose}" was changed, or sealed for another purpose`,
        )
      }
    },
    renew(sealed, purpose) {
      const isCurrent = keyIdOf(sealed) === keyId(newest())
      return isCurrent ? sealed : sealing.seal(sealing.open(sealed, purpose), purpose)
    },
  }
  return sealing
}

export function keyIdOf(sealed: string): string | undefined {
  return sealedPattern.exec(sealed)?.[1]
}

/** Identifies a key without revealing it. */
export function keyId(key: Uint8Array): string {
  return hash('sha256', key).slice(0, 8)
}
