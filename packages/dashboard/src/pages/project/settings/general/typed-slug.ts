import { slugFault, suggestSlug } from '@masthead/contract/slug.ts'

/** The slug that somebody means who types a title or pastes the address of a site. What is none stays as it is. */
export function typedSlug(typed: string): string {
  const text = typed.trim()
  if (slugFault(text) === null) return text
  const host = /^(?:https?:\/\/)?([^/.\s]+)\.[^/\s]+/i.exec(text)?.[1]
  return suggestSlug(host ?? text) ?? text.toLowerCase()
}
