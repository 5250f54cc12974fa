import { type HeaderChanges, HeaderMatcher } from './match-headers.ts'
import { RedirectMatcher } from './match-redirects.ts'
import type { SiteRules } from './rules.ts'

/** The rules of one site, indexed. A kind of which there are none is null, so that it costs nothing. */
export interface IndexedRules {
  readonly forced: RedirectMatcher | null
  readonly others: RedirectMatcher | null
  readonly headers: HeaderMatcher | null
}

export const noRules: IndexedRules = { forced: null, others: null, headers: null }

export function indexRules({ redirects, headers }: SiteRules): IndexedRules | null {
  const forced = redirects.filter(({ force }) => force === true)
  const others = redirects.filter(({ force }) => force !== true)
  if (redirects.length + headers.length === 0) return null
  return {
    forced: forced.length === 0 ? null : new RedirectMatcher(forced),
    others: others.length === 0 ? null : new RedirectMatcher(others),
    headers: headers.length === 0 ? null : new HeaderMatcher(headers),
  }
}

/** For a response that might have been another for a visitor with another language. */
export const variesByLanguage: HeaderChanges = {
  isKept: true,
  unset: new Set(),
  set: new Map([['vary', { name: 'Vary', values: ['Accept-Language'] }]]),
}
