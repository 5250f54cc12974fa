import { ProblemError } from '@masthead/client/errors.ts'

/**
 * Which fields a refusal is about. Null where it is not about fields, or about one that the form does not have:
 * then it has to be told as a whole.
 */
export function fieldFaults(error: unknown, fields: ReadonlySet<string>): Record<string, string> | null {
  if (!(error instanceof ProblemError) || error.errors.length === 0) return null
  const faults: Record<string, string> = {}
  for (const { path, message } of error.errors) {
    const field = path.split(/[./]/).findLast((part) => part !== '')
    if (field === undefined || !fields.has(field)) return null
    faults[field] ??= asSentence(message)
  }
  return faults
}

/** A sentence that begins with a name, such as acme.com, leaves it as it is. */
function asSentence(message: string): string {
  const named = /^\S+\.\S/.test(message)
  const text = named ? message : message.charAt(0).toUpperCase() + message.slice(1)
  return text.endsWith('.') ? text : `${text}.`
}

type Constrained = Pick<HTMLInputElement, 'type' | 'minLength' | 'title'> & {
  validity: Pick<ValidityState, 'valid' | 'valueMissing' | 'typeMismatch' | 'tooShort' | 'patternMismatch'>
}

/** What is wrong with an input by its own attributes, in words, or null. Saves a round trip, decides nothing. */
export function constraintFault({ type, minLength, title, validity }: Constrained): string | null {
  if (validity.valid) return null
  if (validity.valueMissing) return 'Fill this in.'
  if (validity.typeMismatch && type === 'email') return 'This is not an email address yet.'
  if (validity.tooShort) return `Use at least ${minLength} characters.`
  // As the standard has it: the title of an input with a pattern says what the pattern asks for.
  if (validity.patternMismatch && title !== '') return title
  return 'This value is not valid.'
}
