import { argon2Sync, randomBytes } from 'node:crypto'

/** A password hashed as cheaply as argon2id can, so that tests can try it often. */
export function cheapHash(password: string): string {
  const salt = randomBytes(16)
  const costs = { memory: 8, passes: 1, parallelism: 1 }
  const tag = argon2Sync('argon2id', { message: password, nonce: salt, tagLength: 32, ...costs })
  return `argon2id$8$1$1$${salt.toString('base64')}$${tag.toString('base64')}`
}
