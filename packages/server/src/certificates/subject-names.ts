import { SubjectAlternativeNameExtension } from './x509.ts'

const label = '[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?'
const hostname = new RegExp(`^(?:\\*\\.)?${label}(?:\\.${label})*$`)

/**
 * Names stand in the SAN alone: a common name ends at 64 characters, and nobody reads it any more. With no
 * subject beside it the extension has to be critical (RFC 5280, section 4.2.1.6).
 */
export function subjectNames(names: readonly string[]): SubjectAlternativeNameExtension {
  for (const name of names) {
    if (name.length > 253 || !hostname.test(name)) {
      throw new TypeError(`No certificate can name ${JSON.stringify(name.slice(0, 300))}`)
    }
  }
  if (names.length === 0) throw new TypeError('A certificate needs a name')
  return new SubjectAlternativeNameExtension(
    names.map((value) => ({ type: 'dns' as const, value })),
    true,
  )
}
