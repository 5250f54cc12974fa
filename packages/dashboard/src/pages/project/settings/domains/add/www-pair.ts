import type { DomainCheck } from '@masthead/contract/schemas/domains/dns-check.ts'
import type { DomainConfig } from '@masthead/contract/schemas/domains/domain-config.ts'

export type UnderstoodName = Pick<DomainCheck, 'hostname' | 'unicode' | 'kind'>

export interface WwwPair {
  hostname: string
  unicode: string
  /** Whether it is already a domain of the project. */
  attached: boolean
  /** Where its visitors end up: itself, or the target of its redirect. */
  end: string
}

const www = 'www.'

/** The other hostname of the same site: www.acme.com for acme.com, and the reverse. */
export function wwwPairOf(
  { hostname, unicode, kind }: UnderstoodName,
  { attached, redirects }: { attached: ReadonlySet<string>; redirects: DomainConfig['domains']['redirects'] },
): WwwPair | null {
  const hasWww = hostname.startsWith(www)
  if (hasWww === (kind === 'apex')) return null
  const other = (name: string) => (hasWww ? name.slice(www.length) : `${www}${name}`)
  const paired = other(hostname)
  const end = redirects.find(({ from }) => from === paired)?.to ?? paired
  return { hostname: paired, unicode: other(unicode), attached: attached.has(paired), end }
}

/** What to add and redirect along with a domain if its www pair is wanted. */
export function withWwwPair(
  name: UnderstoodName,
  wwwPair: WwwPair,
  reversed: boolean,
): { wwwPair: string | null; redirect: { from: string; to: string } } {
  return {
    wwwPair: wwwPair.attached ? null : wwwPair.hostname,
    // Adding a domain never makes an existing one redirect.
    redirect:
      reversed || wwwPair.attached
        ? { from: name.hostname, to: wwwPair.end }
        : { from: wwwPair.hostname, to: name.hostname },
  }
}

/** Longer than any hostname with the rest of a pasted URL. */
const longest = 400

/** Whether the typed text is complete enough to check with the API. */
export function looksLikeHostname(typed: string): boolean {
  return typed.length <= longest && /[^\s.:/@][.。．｡][^\s./:]{2}/u.test(typed)
}
