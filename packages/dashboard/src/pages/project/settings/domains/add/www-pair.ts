import type { DomainCheck } from '@masthead/contract/schemas/domain.ts'
import type { DomainConfig } from '@masthead/contract/schemas/domain-config.ts'

export type UnderstoodName = Pick<DomainCheck, 'hostname' | 'unicode' | 'kind'>

export interface WwwPair {
  hostname: string
  unicode: string
  /** It is a domain of the project already. */
  attached: boolean
  /** Where a visitor of the twin ends: the twin itself, or where it redirects. */
  end: string
}

const www = 'www.'

/** The other name that people type for the same site: acme.com and www.acme.com. */
export function wwwPairOf(
  { hostname, unicode, kind }: UnderstoodName,
  { attached, redirects }: { attached: ReadonlySet<string>; redirects: DomainConfig['domains']['redirects'] },
): WwwPair | null {
  const hasWww = hostname.startsWith(www)
  if (hasWww === (kind === 'apex')) return null
  const other = (name: string) => (hasWww ? name.slice(www.length) : `${www}${name}`)
  const twin = other(hostname)
  const end = redirects.find(({ from }) => from === twin)?.to ?? twin
  return { hostname: twin, unicode: other(unicode), attached: attached.has(twin), end }
}

/** What is to be added and redirected besides a name, where its twin is wanted. */
export function withWwwPair(
  name: UnderstoodName,
  twin: WwwPair,
  reversed: boolean,
): { twin: string | null; redirect: { from: string; to: string } } {
  return {
    twin: twin.attached ? null : twin.hostname,
    // What the project has already is not made to redirect by adding another name.
    redirect:
      reversed || twin.attached
        ? { from: name.hostname, to: twin.end }
        : { from: twin.hostname, to: name.hostname },
  }
}

/** Longer than any name with what is pasted around it. */
const longest = 400

/** Whether something typed is far enough to ask the API how it is understood. Decides nothing else. */
export function looksLikeHostname(typed: string): boolean {
  return typed.length <= longest && /[^\s.:/@][.。．｡][^\s./:]{2}/u.test(typed)
}
