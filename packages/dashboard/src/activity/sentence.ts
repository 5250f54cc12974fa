import type { AccountEvent } from '@masthead/contract/schemas/account.ts'

/** A name in a sentence, with what it refers to, so that it can be a link. */
export interface Named {
  name: string
  is: 'domain' | 'deployment' | 'project' | 'text'
  /** The identifier to link by, if it is not the name. */
  foundBy?: string
}

export type Part = string | Named
export type Sentence = readonly Part[]

/** Events written by an older server may lack a value: then the fallback is used. */
export function named(value: unknown, is: Named['is'], otherwise: string): Part {
  return typeof value === 'string' && value !== '' ? { name: value, is } : otherwise
}

export function text(value: unknown, otherwise: string): Part {
  return named(value, 'text', otherwise)
}

export function count(value: number): string {
  return value.toLocaleString('en')
}

export function actorWords({ kind, id, name }: AccountEvent['actor']): string {
  if (kind === 'key') return `${name} (API key)`
  // Without an id it is the operator key, which is called Operator.
  return kind === 'operator' && id !== null ? `${name} (operator)` : name
}
