import type { Fault } from '../fault.ts'
import type { Located } from './markdown.ts'

export interface ListedTwice {
  /** What the entries are: "error code". */
  noun: string
  codeFile: string
  inCode: readonly Located[]
  document: string
  documented: readonly Located[]
}

/** Two lists that must hold the same entries. */
export function checkSameList(lists: ListedTwice): Fault[] {
  return [...checkDocumented(lists), ...checkNoStrays(lists)]
}

/** Every entry of the code stands in the document. */
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
