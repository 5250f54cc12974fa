import { parseUrl } from '../arguments/parse-url.ts'
import { usageError } from '../errors/command-error.ts'

/** Only rejects what cannot be part of a URL; the server parses the rest. */
export function parseHostname(word: string, example = 'www.acme.com'): string {
  const name = word.trim()
  if (/[^\s./]/.test(name)) return name
  throw usageError(`"${word}" is not a domain.`, `Use a domain such as ${example}.`)
}

/** The form that the server stores, for comparisons. */
export function canonicalHostname(typed: string): string {
  const name = typed.trim()
  const url = parseUrl(/^[a-z][a-z0-9+.-]*:\/\//i.test(name) ? name : `http://${name}`)
  return url?.hostname.replace(/\.$/, '') || name.toLowerCase()
}

/** "bücher.example (xn--bcher-kva.example)": both forms if they differ, because DNS shows the second. */
export function displayHostname({ hostname, unicode }: { hostname: string; unicode: string }): string {
  return hostname === unicode ? hostname : `${unicode} (${hostname})`
}
