import { stripVTControlCharacters } from 'node:util'

const wide =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|\p{Emoji_Presentation}/u

/** Columns of a terminal that a text takes: two for wide characters of East Asia and emoji, none for combining marks. */
export function visibleLength(text: string): number {
  let length = 0
  for (const character of stripVTControlCharacters(text)) length += columnsOf(character)
  return length
}

/** Rows of a terminal that a line takes where it is wrapped at the last column. */
export function rowsTaken(line: string, columns: number): number {
  let rows = 1
  let used = 0
  for (const character of stripVTControlCharacters(line)) {
    const needed = columnsOf(character)
    if (used + needed > columns) {
      rows++
      used = 0
    }
    used += needed
  }
  return rows
}

function columnsOf(character: string): number {
  if (/\p{M}/u.test(character)) return 0
  return wide.test(character) ? 2 : 1
}
