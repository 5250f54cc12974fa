import { type Role, roles, scopes } from '@masthead/contract/scopes.ts'

/** What a role allows, from its scopes: "See projects; publish and roll back." */
export function roleSentence(role: Role): string {
  const [first = '', ...rest] = roles[role].scopes.map((scope) => scopes[scope])
  return `${[first, ...rest.map(withSmallStart)].join('; ')}.`
}

/** "an owner", "a viewer". */
export function asRole(role: Role): string {
  const title = roles[role].title.toLowerCase()
  return `${/^[aeiou]/.test(title) ? 'an' : 'a'} ${title}`
}

function withSmallStart(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1)
}
