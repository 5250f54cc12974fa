import { slugError, suggestSlug } from '@masthead/contract/project-settings.ts'

/** The fields of a draft that differ from what is stored; one set back to what is stored counts as untouched. */
export function changedFields<T extends object>(draft: Partial<T>, stored: T): Partial<T> {
  const fields = Object.keys(draft) as (keyof T)[]
  const changed = fields.filter((field) => draft[field] !== stored[field])
  return Object.fromEntries(changed.map((field) => [field, draft[field]])) as Partial<T>
}

/** The address that a project has with another slug, without its scheme; the slug is the first label of the host. */
export function addressWith(url: string, slug: string): string {
  return new URL(url).host.replace(/^[^.]+/, () => slug)
}

/** The slug that somebody means who types a title or pastes the address of a site. What is none stays as it is. */
export function typedSlug(typed: string): string {
  const text = typed.trim()
  if (slugError(text) === null) return text
  const host = /^(?:https?:\/\/)?([^/.\s]+)\.[^/\s]+/i.exec(text)?.[1]
  return suggestSlug(host ?? text) ?? text.toLowerCase()
}
