import { randomBytes } from 'node:crypto'
import { type Id, type IdKind, idPrefixes } from '@masthead/contract/schemas/fields.ts'

const alphabet = '0123456789abcdefghjkmnpqrstvwxyz'
const timeCharacters = 9
const randomCharacters = 11
const randomLimit = 1n << BigInt(5 * randomCharacters)

let lastTime = 0
let lastRandom = 0n

/** Ids of one process sort in the order of creation, even within a millisecond. */
export function newId<K extends IdKind>(kind: K, now: number): Id<K> {
  const step = BigInt(`0x${randomBytes(8).toString('hex')}`)
  if (now > lastTime) {
    lastTime = now
    lastRandom = step % (randomLimit >> 1n)
  } else {
    lastRandom += 1n + (step % (1n << 24n))
  }
  const code = base32(BigInt(lastTime), timeCharacters) + base32(lastRandom, randomCharacters)
  return `${idPrefixes[kind]}_${code}`
}

/** The id without its prefix, as used in hostnames. */
export function bareId(id: string): string {
  return id.slice(id.indexOf('_') + 1)
}

/** When an id was created, in milliseconds since 1970; null if it is not an id. */
export function createdAt(id: string): number | null {
  const time = bareId(id).slice(0, timeCharacters)
  if (time.length < timeCharacters) return null
  let milliseconds = 0
  for (const character of time) {
    const digit = alphabet.indexOf(character)
    if (digit === -1) return null
    milliseconds = milliseconds * 32 + digit
  }
  return milliseconds
}

function base32(value: bigint, characters: number): string {
  let text = ''
  for (let index = 0; index < characters; index++) {
    text = alphabet.charAt(Number(value & 31n)) + text
    value >>= 5n
  }
  return text
}
