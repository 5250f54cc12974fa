import { argon2Sync } from 'node:crypto'

/** A password hashed as cheaply as argon2id can, so that tests can try it often. With the same salt it is the same. */
export function cheapHash(password: string, salt = Buffer.from('salt for a test.')): string {
  const costs = { memory: 8, passes: 1, parallelism: 1 }
  const tag = argon2Sync('argon2id', { message: password, nonce: salt, tagLength: 32, ...costs })
  return `argon2id$8$1$1$${salt.toString('base64')}$${tag.toString('base64')}`
}
