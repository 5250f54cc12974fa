/** Normalizes a typed code, such as "bcdf ghjk", or returns null if it cannot be one. */
export function readLoginCode(typed: string): string | null {
  const letters = typed.toUpperCase().replace(/[\s-]/g, '')
  return /^[A-Z]{8}$/.test(letters) ? `${letters.slice(0, 4)}-${letters.slice(4)}` : null
}
