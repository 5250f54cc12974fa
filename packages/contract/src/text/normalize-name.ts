/** More than a file name can have. Sorting many thousands, as NFC does, takes minutes. */
const manyAccents = /(?<!\p{M})\p{M}{128}/u

/** A name or path in NFC. Null if no file can have it, because so many accents follow each other. */
export function normalizeName(text: string): string | null {
  return manyAccents.test(text) ? null : text.normalize('NFC')
}
