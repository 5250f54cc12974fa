/** A code however it was typed ("bcdf ghjk"), as the API writes it, or null where it cannot be one. */
export function readLoginCode(typed: string): string | null {
  const letters = typed.toUpperCase().replace(/[\s-]/g, '')
  return /^[A-Z]{8}$/.test(letters) ? `${letters.slice(0, 4)}-${letters.slice(4)}` : null
}
