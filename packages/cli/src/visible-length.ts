import { stripVTControlCharacters } from 'node:util'

const wide =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|\p{Extended_Pictographic}/u

/** Columns of a terminal that a text takes: two for the wide characters of East Asia, none for combining marks. */
export function visibleLength(text: string): number {
  let length = 0
  for (const character of stripVTControlCharacters(text)) length += columnsOf(character)
  return length
}

/** A line that does not wrap; one that is cut loses its colours with its end. */
export function cutToWidth(line: string, width: number): string {
  if (visibleLength(line) <= width) return line
  let room = width - 1
  let kept = ''
  for (const character of stripVTControlCharacters(line)) {
    room -= columnsOf(character)
    if (room < 0) break
    kept += character
  }
  return `${kept}…`
}

function columnsOf(character: string): number {
  if (/\p{M}/u.test(character)) return 0
  return wide.test(character) ? 2 : 1
}
