/** In a class of a regular expression: control characters, and those that reorder the text around them. */
export const controlCharacters = '\\p{Cc}\\p{Cs}\\u2028\\u2029\\u202a-\\u202e\\u2066-\\u2069'
