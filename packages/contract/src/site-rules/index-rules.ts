import { type HeaderChanges, HeaderMatcher } from './match-headers.ts'
import { RedirectMatcher, type RuledFiles } from './match-redirects.ts'
import type { SiteRules } from './rules.ts'

/** The rules of one site, indexed. A kind of which there are none is null, so that it costs nothing. */
export interface IndexedRules {
  readonly redirects: RedirectMatcher | null
  readonly headers: HeaderMatcher | null
}

export const noRules: IndexedRules = { redirects: null, headers: null }

export interface RulesServer {
  /** Where proxies tell the country of visitors, for caches between them and us. Omitted if they do not. */
  countryHeader?: string | null
  /** What sites share. Omitted if they share nothing. */
  platformDomain?: string
}

/** `pause` is awaited between rules: thousands of long ones take half a second. */
export async function indexRules(
  { redirects, headers }: SiteRules,
  { countryHeader = null, platformDomain }: RulesServer = {},
  files?: RuledFiles,
  pause: () => Promise<void> | undefined = () => undefined,
): Promise<IndexedRules | null> {
  if (redirects.length + headers.length === 0) return null
  const matcher = new RedirectMatcher([], countryHeader, files)
  for (const rule of redirects) {
    matcher.add(rule)
    await pause()
  }
  return {
    redirects: redirects.length === 0 ? null : matcher,
    headers: headers.length === 0 ? null : new HeaderMatcher(headers, platformDomain ?? null),
  }
}

const variations = new Map<string, HeaderChanges>()

/** For a response that might have been another for a visitor with other headers. One object for the same headers. */
export function varyingBy(headers: string): HeaderChanges {
  const known = variations.get(headers)
  if (known !== undefined) return known
  const set = new Map([['vary', { name: 'Vary', values: [headers], text: headers, rules: [] }]])
  const changes = { isKept: true, unset: new Set<string>(), set }
  variations.set(headers, changes)
  return changes
}
