import { argon2, randomBytes, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'

const hashBytes = promisify(argon2)

/** OWASP's recommendation for argon2id: 19 MiB, two passes. Stored in each hash, so that they can be raised later. */
const current = { memory: 19_456, passes: 2, parallelism: 1 }

export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(16)
  const tag = await derive(password, salt, current)
  const { memory, passes, parallelism } = current
  return `argon2id$${memory}$${passes}$${parallelism}$${salt.toString('base64')}$${tag.toString('base64')}`
}

export async function passwordMatches(password: string, hash: string): Promise<boolean> {
  const [, memory, passes, parallelism, salt, tag] = hash.split('$')
  if (salt === undefined || tag === undefined) throw new Error('A stored password hash is malformed')
  const costs = { memory: Number(memory), passes: Number(passes), parallelism: Number(parallelism) }
  const expected = Buffer.from(tag, 'base64')
  return timingSafeEqual(await derive(password, Buffer.from(salt, 'base64'), costs), expected)
}

/** Takes as long as a real comparison, so that timing does not reveal which addresses have an account. */
export async function hashDummyPassword(password: string): Promise<false> {
  await derive(password, Buffer.alloc(16), current)
  return false
}

function derive(password: string, salt: Buffer, costs: typeof current): Promise<Buffer> {
  const message = password.normalize('NFC')
  return hashBytes('argon2id', { message, nonce: salt, tagLength: 32, ...costs })
}
