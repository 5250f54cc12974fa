import { randomFillSync } from 'node:crypto'
import { type Id, type IdKind, idPrefixes } from '@masthead/contract/schemas/fields.ts'

const alphabet = '0123456789abcdefghjkmnpqrstvwxyz'
const timeCharacters = 9
/** The random part has 55 bits: 25 and 30, because every request gets an id and large integers are slow. */
const [highBits, lowBits] = [25, 30]

let lastTime = 0
let timeCode = ''
let high = 0
let low = 0

/** Ids of one process sort in the order of creation, even within a millisecond. */
export function newId<K extends IdKind>(kind: K, now: number): Id<K> {
  if (now > lastTime) {
    lastTime = now
    timeCode = timeCodeOf(now)
    // Half of the range is left for the steps of this millisecond.
    high = randomBits(highBits - 1)
    low = randomBits(lowBits)
  } else {
    low += 1 + randomBits(24)
    if (low >= 2 ** lowBits) {
      low -= 2 ** lowBits
      high++
    }
  }
  return `${idPrefixes[kind]}_${timeCode}${base32(high, 5)}${base32(low, 6)}`
}

/** Sorts after every id that was created before the time, and before every other. */
export function idAtTime<K extends IdKind>(kind: K, at: number): Id<K> {
  return `${idPrefixes[kind]}_${timeCodeOf(at)}`
}

function timeCodeOf(at: number): string {
  return base32(Math.floor(at / 2 ** lowBits), 3) + base32(at % 2 ** lowBits, 6)
}

const pool = new Uint32Array(256)
let used = pool.length

/** At most 32. Taken from a pool, because one call for many is much faster. */
function randomBits(bits: number): number {
  if (used === pool.length) {
    randomFillSync(pool)
    used = 0
  }
  return (pool[used++] as number) >>> (32 - bits)
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

function base32(value: number, characters: number): string {
  let text = ''
  for (let shift = 5 * (characters - 1); shift >= 0; shift -= 5)
    text += alphabet.charAt((value >>> shift) & 31)
  return text
}
