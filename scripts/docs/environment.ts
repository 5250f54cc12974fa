import type { Fault } from '../fault.ts'
import type { Located, MarkdownDocument } from './markdown.ts'

const variable = /\bMASTHEAD_[A-Z0-9]+(?:_[A-Z0-9]+)*\b|\b(?:DATABASE|REDIS)_URL\b/g

/** Each variable that a text names, where it is named first. */
export function variablesIn(source: string): Located[] {
  const first = new Map<string, Located>()
  for (const [index, text] of source.split('\n').entries()) {
    for (const [name] of text.matchAll(variable)) {
      if (!first.has(name)) first.set(name, { text: name, line: index + 1 })
    }
  }
  return [...first.values()]
}

/** A document may name only variables that some program of ours reads. */
export function checkVariables(
  file: string,
  { lines }: MarkdownDocument,
  read: ReadonlySet<string>,
): Fault[] {
  return variablesIn(lines.map(({ text }) => text).join('\n'))
    .filter(({ text }) => !read.has(text))
    .map(({ text, line }) => ({ file, line, message: `names ${text}, which no program reads` }))
}
