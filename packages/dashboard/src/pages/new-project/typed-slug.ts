import { slugError, suggestSlug } from '@masthead/contract/slugs.ts'

/** Accepts a slug, a project name or a pasted address of a site. */
export function typedSlug(typed: string, platformDomain: string): string {
  const host = typed
    .trim()
    .replace(/^https?:\/\//i, '')
    .replace(/[/?#].*$/, '')
    .replace(/:\d+$/, '')
  const suffix = `.${platformDomain}`
  const own = host.toLowerCase().endsWith(suffix) ? host.slice(0, -suffix.length) : host
  return slugError(own) === null ? own : (suggestSlug(own) ?? own)
}
