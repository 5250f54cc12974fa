import { encodeSitePath, encodeText } from '../site-paths/site-path.ts'
import { normalizeName } from '../text/normalize-name.ts'
import type { Captures } from './match-pattern.ts'
import { MatchBudgetError } from './matching/match-budget.ts'
import { parseTemplate, type Segment } from './pattern.ts'
import { trimBlanks } from './rule-lines.ts'

/** Where a redirect leads. The origin is fixed: nothing that a visitor sends can change the host. */
export interface RedirectTarget {
  /** Null for this site. */
  readonly origin: string | null
  readonly path: Segment
  /** With its question mark; null if it has none of its own, and the request's is kept. */
  readonly query: Segment | null
  /** With its hash, or empty. */
  readonly fragment: Segment
}

/** The file that a rule with status 200 or 404 shows. */
export type FileTarget = Segment

const absolute = /^(https?:\/\/)([^/?#]*)(.*)$/is

export const noFunctions = 'Functions do not run here: this server has files only.'

/** Whether a function of Netlify would answer. */
export function isFunction(target: string): boolean {
  return /^\/\.netlify\/(?:functions|builders|edge-functions)(?:\/|$)/.test(trimBlanks(target))
}

/** Returns why it is not a target. */
export function parseRedirectTarget(given: string): RedirectTarget | string {
  const text = trimBlanks(given)
  const match = absolute.exec(text)
  const rest = match === null ? text : (match[3] ?? '')
  const [, path = '', query, fragment = ''] = /^([^?#]*)(\?[^#]*)?(#.*)?$/s.exec(rest) ?? []
  if (match === null && !/^\/(?![/\\])/.test(path)) {
    return 'A target starts with one slash, or with https:// or http://.'
  }
  const origin = match === null ? null : originOf(match[1] ?? '', match[2] ?? '')
  if (origin !== null && !origin.startsWith('http')) return origin
  return {
    origin,
    path: parseTemplate(path || '/', encodeLiteral),
    query: query === undefined ? null : parseTemplate(query, encodeLiteral),
    fragment: parseTemplate(fragment, encodeLiteral),
  }
}

function originOf(scheme: string, authority: string): string {
  if (/[:*]/.test(authority.replace(/:\d{1,5}$/, ''))) {
    return 'The host of a target cannot come from the request. Write it out.'
  }
  if (!/^[a-z0-9_.-]+(?::\d{1,5})?$/i.test(authority)) {
    return 'The host of the target is not valid. Write international names in their xn-- form.'
  }
  return `${scheme.toLowerCase()}${authority.toLowerCase()}`
}

/** Returns why it is not a file of this site. */
export function parseFileTarget(given: string): { path: FileTarget } | string {
  const text = trimBlanks(given)
  if (absolute.test(text)) {
    return 'Showing another site under this address (proxying) is not supported. Redirect with 301 or 302 instead.'
  }
  if (!/^\/(?![/\\])/.test(text))
    return 'The target of 200 and 404 is a path of this site, such as /index.html.'
  try {
    const decode = (literal: string) => decodeAsName(literal)
    return { path: parseTemplate(text.replace(/[?#].*$/s, ''), decode) }
  } catch {
    return 'The target has a % that is not part of an escape. Write it as %25.'
  }
}

/** One that no file can have stays as it is. */
function decodeAsName(literal: string): string {
  const decoded = decodeURIComponent(literal)
  return normalizeName(decoded) ?? decoded
}

/** Names that the target uses and the source does not capture. They stay as they are. */
export function unknownNames(template: Segment, known: ReadonlySet<string>): string[] {
  return typeof template === 'string' ? [] : template.names.filter((name) => !known.has(name))
}

/** The Location of a redirect: printable ASCII that starts with the target's own origin or with exactly one slash. */
export function locationOf(target: RedirectTarget, captures: Captures, requestQuery: string): string {
  const { origin, fragment } = target
  const path = fill(target.path, captures, encodePath)
  const query =
    target.query === null ? escapeQuery(requestQuery) : fill(target.query, captures, encodeParameter)
  const rest = query + fill(fragment, captures, encodeParameter)
  return origin === null ? `/${path.replace(/^\/+/, '')}${rest}` : `${origin}${path}${rest}`
}

export function filePathOf(target: FileTarget, captures: Captures): string {
  return fill(target, captures, (value) => value).replace(/\/{2,}/g, '/')
}

/** More than any client sends or accepts. A target of 2,000 characters can repeat a long path hundreds of times. */
const longestText = 64 * 1024

/** Throws MatchBudgetError. */
export function fill(template: Segment, captures: Captures, encode: (value: string) => string): string {
  if (typeof template === 'string') return template
  const encoded = new Map<string, string>()
  let text = template.literals[0] ?? ''
  for (const [at, name] of template.names.entries()) {
    const given = captures[name]
    const value = encoded.get(name) ?? (given === undefined ? `:${name}` : encode(given))
    encoded.set(name, value)
    text += value + (template.literals[at + 1] ?? '')
    if (text.length > longestText) throw new MatchBudgetError()
  }
  return text
}

/** Keeps escapes, and escapes what a URL cannot have. */
function encodeLiteral(text: string): string {
  return text
    .toWellFormed()
    .replace(/%(?![0-9A-F]{2})/gi, '%25')
    .replace(/[^!-~]|["<>\\^`{|}]/gu, encodeURIComponent)
}

/** The query of a request, with escapes for what a Location cannot have. All else stays as it is. */
export function escapeQuery(query: string): string {
  return query.replace(/[^!-~]|["#<>]/gu, (character) => {
    const code = character.charCodeAt(0)
    if (code > 0xff) return encodeURIComponent(character.toWellFormed())
    return `%${code.toString(16).padStart(2, '0').toUpperCase()}`
  })
}

function encodePath(value: string): string {
  return encodeText(value, encodeSitePath)
}

function encodeParameter(value: string): string {
  return encodeText(value, encodeURIComponent)
}
