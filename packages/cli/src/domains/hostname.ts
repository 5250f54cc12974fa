import { usageError } from '../errors/command-error.ts'

/** A name as it was typed or pasted, for the server to make sense of. */
export function parseHostname(word: string, example = 'www.acme.com'): string {
  const name = word.trim()
  if (/[^\s./]/.test(name)) return name
  throw usageError(`"${word}" is not a domain.`, `Use a domain such as ${example}.`)
}

/** The form in which the server stores a name, to compare what people write with it. */
export function canonicalHostname(typed: string): string {
  const name = typed.trim()
  const url = URL.parse(/^[a-z][a-z0-9+.-]*:\/\//i.test(name) ? name : `http://${name}`)
  return url?.hostname.replace(/\.$/, '') || name.toLowerCase()
}

/** "bücher.example (xn--bcher-kva.example)": both forms where they differ, as only the second is in DNS. */
export function displayHostname({ hostname, unicode }: { hostname: string; unicode: string }): string {
  return hostname === unicode ? hostname : `${unicode} (${hostname})`
}
