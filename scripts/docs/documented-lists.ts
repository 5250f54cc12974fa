import type { Fault } from '../repository.ts'
import type { Located, MarkdownDocument } from './markdown.ts'

export interface ListedTwice {
  /** What the entries are: "error code". */
  noun: string
  codeFile: string
  inCode: readonly Located[]
  document: string
  documented: readonly Located[]
}

/** Both lists must have the same entries. */
export function checkSameList(lists: ListedTwice): Fault[] {
  return [...checkDocumented(lists), ...checkNoStrays(lists)]
}

/** Every entry of the code must be in the document. */
export function checkDocumented({ noun, codeFile, inCode, document, documented }: ListedTwice): Fault[] {
  return notIn(documented, inCode).map(({ text, line }) => ({
    file: codeFile,
    line,
    message: `${noun} ${text} has no entry in ${document}`,
  }))
}

function checkNoStrays({ noun, codeFile, inCode, document, documented }: ListedTwice): Fault[] {
  return notIn(inCode, documented).map(({ text, line }) => ({
    file: document,
    line,
    message: `${noun} ${text} is not in ${codeFile}`,
  }))
}

function notIn(list: readonly Located[], entries: readonly Located[]): Located[] {
  const names = new Set(list.map(({ text }) => text))
  return entries.filter(({ text }) => !names.has(text))
}

const variable = /\bMASTHEAD_[A-Z0-9]+(?:_[A-Z0-9]+)*\b|\b(?:DATABASE|REDIS)_URL\b/g

/** Each variable in a text, where it first appears. */
export function variablesIn(source: string): Located[] {
  const first = new Map<string, Located>()
  for (const [index, text] of source.split('\n').entries()) {
    for (const [name] of text.matchAll(variable)) {
      if (!first.has(name)) first.set(name, { text: name, line: index + 1 })
    }
  }
  return [...first.values()]
}

/** A document may name only variables that one of our programs reads. */
export function checkVariables(
  file: string,
  { lines }: MarkdownDocument,
  read: ReadonlySet<string>,
): Fault[] {
  return variablesIn(lines.map(({ text }) => text).join('\n'))
    .filter(({ text }) => !read.has(text))
    .map(({ text, line }) => ({ file, line, message: `names ${text}, which no program reads` }))
}
