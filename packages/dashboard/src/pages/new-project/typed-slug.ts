import { slugError, suggestSlug } from '@masthead/contract/project-settings.ts'

/** A slug as somebody meant it, who may have typed a name or pasted a whole address. */
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
