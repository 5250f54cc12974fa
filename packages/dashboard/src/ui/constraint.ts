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
