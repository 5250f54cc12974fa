import fc from 'fast-check'

const surrogates = { first: 0xd800, count: 0x800 }

/**
 * The unit 'binary' of fast-check, any character of Unicode, for which it would first list all 1,112,064 of them: almost
 * a second per process.
 */
export const anyCharacter = fc.nat({ max: 0x10ffff - surrogates.count }).map(characterAt, indexOf)

function characterAt(index: number): string {
  return String.fromCodePoint(index < surrogates.first ? index : index + surrogates.count)
}

function indexOf(character: unknown): number {
  const point = typeof character === 'string' ? character.codePointAt(0) : undefined
  const index = point === undefined || point < surrogates.first ? point : point - surrogates.count
  if (index === undefined || characterAt(index) !== character) throw new Error('Not a character')
  return index
}
