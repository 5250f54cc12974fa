import { slugError, suggestSlug } from '@masthead/contract/slugs.ts'

/** The fields of a draft that differ from the stored values. */
export function changedFields<T extends object>(draft: Partial<T>, stored: T): Partial<T> {
  const fields = Object.keys(draft) as (keyof T)[]
  const changed = fields.filter((field) => draft[field] !== stored[field])
  return Object.fromEntries(changed.map((field) => [field, draft[field]])) as Partial<T>
}

/** The address of the project with another slug, without the scheme. */
export function addressWith(url: string, slug: string): string {
  return new URL(url).host.replace(/^[^.]+/, () => slug)
}

/** Accepts a slug, a title or a pasted address of a site. Anything else stays as typed, for the API to reject. */
export function typedSlug(typed: string): string {
  const text = typed.trim()
  if (slugError(text) === null) return text
  const host = /^(?:https?:\/\/)?([^/.\s]+)\.[^/\s]+/i.exec(text)?.[1]
  return suggestSlug(host ?? text) ?? text.toLowerCase()
}
