import { ProblemError } from '@masthead/client/errors.ts'

/** The message for each field, or null if the error is not about fields of this form and has to be shown as a whole. */
export function fieldErrorsOf(error: unknown, fields: ReadonlySet<string>): Record<string, string> | null {
  if (!(error instanceof ProblemError) || error.errors.length === 0) return null
  const byField: Record<string, string> = {}
  for (const { path, message } of error.errors) {
    const field = path.split(/[./]/).findLast((part) => part !== '')
    if (field === undefined || !fields.has(field)) return null
    byField[field] ??= fieldSentence(message)
  }
  return byField
}

/** Does not capitalize a hostname, such as acme.com, at the start. */
function fieldSentence(message: string): string {
  const named = /^\S+\.\S/.test(message)
  const text = named ? message : message.charAt(0).toUpperCase() + message.slice(1)
  return text.endsWith('.') ? text : `${text}.`
}

type Constrained = Pick<HTMLInputElement, 'type' | 'minLength' | 'title'> & {
  validity: Pick<ValidityState, 'valid' | 'valueMissing' | 'typeMismatch' | 'tooShort' | 'patternMismatch'>
}

/** Checks an input by its HTML attributes, to save a round trip. The API still decides. */
export function constraintError({ type, minLength, title, validity }: Constrained): string | null {
  if (validity.valid) return null
  if (validity.valueMissing) return 'This field is required.'
  if (validity.typeMismatch && type === 'email') return 'Enter a valid email address.'
  if (validity.tooShort) return `Use at least ${minLength} characters.`
  // By the HTML standard, the title of an input describes its pattern.
  if (validity.patternMismatch && title !== '') return title
  return 'This value is not valid.'
}
