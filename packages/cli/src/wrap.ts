import { visibleLength } from './visible-length.ts'

/** A paragraph as lines of at most `width` columns; a word that is longer has a line of its own. */
export function wrap(text: string, width: number, indent = ''): string[] {
  const lines: string[] = []
  let line = ''
  for (const word of text.split(/\s+/).filter(Boolean)) {
    const longer = line === '' ? word : `${line} ${word}`
    if (line !== '' && visibleLength(indent + longer) > width) {
      lines.push(indent + line)
      line = word
    } else line = longer
  }
  return line === '' ? lines : [...lines, indent + line]
}
