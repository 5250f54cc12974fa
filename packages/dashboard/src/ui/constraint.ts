type Constrained = Pick<HTMLInputElement, 'type' | 'minLength'> & {
  validity: Pick<ValidityState, 'valid' | 'valueMissing' | 'typeMismatch' | 'tooShort'>
}

/** What is wrong with an input by its own attributes, in words, or null. Saves a round trip, decides nothing. */
export function constraintFault({ type, minLength, validity }: Constrained): string | null {
  if (validity.valid) return null
  if (validity.valueMissing) return 'Fill this in.'
  if (validity.typeMismatch && type === 'email') return 'This is not an email address yet.'
  if (validity.tooShort) return `Use at least ${minLength} characters.`
  return 'This value is not valid.'
}
