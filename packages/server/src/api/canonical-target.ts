/** Letters, digits and `-._~` mean the same whether they are percent-encoded or not (RFC 3986, 2.3). */
const encodedUnreserved = /%(?:2[de]|3\d|4[1-9a-f]|5[0-9af]|6[1-9a-f]|7[0-9ae])/gi

/** A path at which there is nothing. */
const nowhere = '//'

/**
 * The one spelling of a request target that routes, limits and logs go by: origin form, nothing percent-encoded that
 * need not be. A target that is neither a path nor a URL leads nowhere.
 */
export function canonicalTarget(target: string): string {
  const rest = target.replace(/^https?:\/\/[^/?#]*/i, '')
  if (rest === target && !target.startsWith('/')) return nowhere
  const path = rest.startsWith('/') ? rest : `/${rest}`
  if (!path.includes('%')) return path
  const end = path.search(/[?#]/)
  return end === -1 ? decoded(path) : decoded(path.slice(0, end)) + path.slice(end)
}

/** The path of a canonical target. */
export function pathOf(target: string): string {
  return target.split(/[?#]/, 1)[0] ?? ''
}

/** One that is malformed stays as it is, for the router to refuse: half decoded it could read as another. */
function decoded(path: string): string {
  if (/%(?![\da-f]{2})/i.test(path)) return path
  return path.replace(encodedUnreserved, (code) => String.fromCharCode(Number.parseInt(code.slice(1), 16)))
}
