import { stripVTControlCharacters } from 'node:util'

const wide =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{20000}-\u{3fffd}]|\p{Emoji_Presentation}/u

/** Terminal columns of a text: two for East Asian wide characters and emoji, none for combining marks and joiners. */
export function displayWidth(text: string): number {
  let length = 0
  for (const character of stripVTControlCharacters(text)) length += columnsOf(character)
  return length
}

/** Terminal rows of a line that wraps at the last column. */
export function displayRows(line: string, columns: number): number {
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
  if (/[\p{M}\u200c\u200d]/u.test(character)) return 0
  return wide.test(character) ? 2 : 1
}

/** A bar of `width` columns, filled from the left. */
export function bar(filled: number, width: number, paintFilled = (text: string) => text): string {
  return paintFilled('━'.repeat(filled)) + '┄'.repeat(width - filled)
}

/** Rows as lines with aligned columns, two spaces apart. */
export function alignColumns(rows: readonly (readonly string[])[]): string[] {
  const widths: number[] = []
  for (const row of rows) {
    row.forEach((cell, i) => {
      widths[i] = Math.max(widths[i] ?? 0, displayWidth(cell))
    })
  }
  return rows.map((row) =>
    row
      .map((cell, i) => cell + ' '.repeat((widths[i] ?? 0) - displayWidth(cell)))
      .join('  ')
      .trimEnd(),
  )
}

/** A paragraph as lines of at most `width` columns. A longer word gets a line of its own. */
export function wrapText(text: string, width: number, indent = ''): string[] {
  const lines: string[] = []
  let line = ''
  for (const word of text.split(/\s+/).filter(Boolean)) {
    const longer = line === '' ? word : `${line} ${word}`
    if (line !== '' && displayWidth(indent + longer) > width) {
      lines.push(indent + line)
      line = word
    } else line = longer
  }
  return line === '' ? lines : [...lines, indent + line]
}

/**
 * Untrusted text without control, invisible and bidirectional characters. Joiners stay inside of other scripts and emoji:
 * Persian, Hindi and families are spelled with them.
 */
export function sanitize(text: string, longest = 200): string {
  const plain = text.replace(
    /((?<=[^\p{ASCII}\p{Script=Latin}\p{C}])[\u200c\u200d](?=[^\p{ASCII}\p{Script=Latin}\p{C}]))|[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu,
    (_, joiner) => joiner ?? '\u{fffd}',
  )
  return plain.length > longest ? `${plain.slice(0, longest - 1)}…` : plain
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: styles begin with one.
const controls = /(\x1b\[(?:1|2|22|3[1-69])m|\r(?=\n))|[^\P{Cc}\n\t]/gu

/** The text without control characters but those of lines, tabs and our styles. */
export function withoutControls(text: string): string {
  return text.replace(controls, (_, allowed) => allowed ?? '\u{fffd}')
}
