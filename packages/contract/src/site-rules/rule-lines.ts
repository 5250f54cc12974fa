import { decodeText } from '../text/decode-text.ts'

export interface RuleLine {
  number: number
  /** Without surrounding white space. */
  text: string
  /** Why the line cannot be used. */
  fault: string | null
}

/** The lines of a rules file that say something: no blank lines, no comments. */
export function* readRuleLines(content: Uint8Array, maxLength: number): Generator<RuleLine> {
  // Only the lines with what cannot be decoded are lost.
  const lines = decodeText(content).split(/\r\n|\n|\r/)
  for (const [at, line] of lines.entries()) {
    const text = trimBlanks(line)
    if (text === '' || text.startsWith('#')) continue
    yield { number: at + 1, text, fault: faultOf(text, maxLength) }
  }
}

const blank = /[\s\p{Cf}]/u

/** Without white space and invisible characters at both ends. Pasted text often has some. */
export function trimBlanks(text: string): string {
  let [start, end] = [0, text.length]
  while (start < end && blank.test(text.charAt(start))) start++
  while (end > start && blank.test(text.charAt(end - 1))) end--
  return text.slice(start, end)
}

function faultOf(text: string, maxLength: number): string | null {
  if (text.length > maxLength) return `The line is longer than ${maxLength} characters. Shorten or split it.`
  if (text.includes('\ufffd')) return 'The line is not valid UTF-8. Save the file as UTF-8.'
  if (/[^\P{Cc}\t]/u.test(text)) return 'The line has a control character. Remove it.'
  return null
}

/** A piece of a line for a message. */
export function excerpt(text: string): string {
  return JSON.stringify(text.length > 80 ? `${text.slice(0, 80)}…` : text)
}
