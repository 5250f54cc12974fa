import type { AccountEvent } from '@masthead/contract/schemas/account.ts'

/** A name in a sentence, and what it names, so that it can lead there. */
export interface Named {
  name: string
  is: 'domain' | 'deployment' | 'project' | 'text'
  /** What it is found by, where that is not its name. */
  foundBy?: string
}

export type Part = string | Named
export type Sentence = readonly Part[]

/** What was recorded, by whichever version of the server, may lack what is told today. */
export function named(value: unknown, is: Named['is'], otherwise: string): Part {
  return typeof value === 'string' && value !== '' ? { name: value, is } : otherwise
}

export function text(value: unknown, otherwise: string): Part {
  return named(value, 'text', otherwise)
}

/** The sentence as a reader hears it. */
export function plainWords(sentence: Sentence): string {
  return sentence.map((part) => (typeof part === 'string' ? part : part.name)).join('')
}

export function count(value: number): string {
  return value.toLocaleString('en')
}

/** Who did it: a person by name, anything else told apart from people. */
export function actorWords({ kind, name }: AccountEvent['actor']): string {
  return kind === 'key' ? `${name} (API key)` : name
}
