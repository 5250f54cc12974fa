import { normalizeName } from '../text/normalize-name.ts'
import { trimBlanks } from './rule-lines.ts'

/** Literals with placeholders between them: `literals` has one more than `names`. */
export interface Template {
  readonly literals: readonly string[]
  readonly names: readonly string[]
}

/** One segment of a path: text, or text with placeholders. */
export type Segment = string | Template

/**
 * What a `*` of vercel.json needs: `slash`, so that `/blog/*` applies to `/blog/` and not to `/blog`, or `text`, so that it
 * applies to neither.
 */
export type SplatNeed = 'slash' | 'text'

/** A `*`, which matches anything, slashes included. */
export interface Splat {
  /** Around it, within its own segment. */
  readonly prefix: string
  readonly suffix: string
  /** The segments after it. */
  readonly tail: readonly Segment[]
  /** Omitted: nothing. With a need, a last slash makes a difference. */
  readonly needs?: SplatNeed
}

/** What a rule applies to. All text is decoded, like the paths of published files. */
export interface Pattern {
  /** Labels of a hostname; null for every host. */
  readonly host: readonly Segment[] | null
  /** Before the splat if there is one, else the whole path. */
  readonly segments: readonly Segment[]
  readonly splat: Splat | null
}

const placeholder = /:([A-Za-z]\w*)/
const placeholders = new RegExp(placeholder, 'g')
const maxPlaceholders = 20

/** Why a rule that is published now cannot have this source. */
export function fragmentProblem(text: string): string | null {
  return text.includes('#')
    ? 'Browsers do not send what follows #, so this can never apply. Write a # of a name as %23.'
    : null
}

export function withoutFragment(text: string): string {
  return trimBlanks(text.replace(/#.*$/s, ''))
}

/**
 * For rules that are in use. A fragment is ignored, because earlier deployments may have protected paths with one.
 * Returns why it is not a pattern. Blanks around it are no part of it: no path that people mean ends with one.
 */
export function parsePattern(text: string, needs?: SplatNeed): Pattern | string {
  const address = withoutFragment(text)
  const absolute = /^https?:\/\/([^/?#]*)(.*)$/is.exec(address)
  const path = absolute === null ? address : absolute[2] || '/'
  if (!path.startsWith('/')) return 'A path starts with a slash.'
  if (path.includes('?')) return 'A path has no query. Write conditions as separate words: /path name=value.'
  const host = absolute === null ? null : parseHost(absolute[1] ?? '')
  if (typeof host === 'string') return host
  const [before = '', after, ...more] = withoutRepeatedSlashes(path).split('*')
  if (more.length > 0) return 'A path has at most one *. Use placeholders such as :name for the others.'

  const segments = parseSegments(before.slice(1))
  if (typeof segments === 'string') return segments
  const rest = after === undefined ? [] : parseSegments(after)
  if (typeof rest === 'string') return rest
  const prefix = after === undefined ? '' : segments.pop()
  const [suffix = '', ...tail] = rest
  const parsed = [...(host ?? []), ...segments, prefix, suffix, ...tail]
  if (typeof prefix !== 'string' || typeof suffix !== 'string') {
    return 'A * and a placeholder need a slash between them.'
  }
  const names = parsed.flatMap((one) => (typeof one === 'object' ? one.names : []))
  if (after !== undefined) names.push('splat')
  if (names.length > maxPlaceholders) return `A path has at most ${maxPlaceholders} placeholders.`
  const twice = names.find((name, at) => names.indexOf(name) !== at)
  if (twice !== undefined) return `The placeholder :${twice} is there twice. Rename one.`
  return {
    host,
    segments,
    splat: after === undefined ? null : { prefix, suffix, tail, ...(needs && { needs }) },
  }
}

function parseHost(text: string): Segment[] | string {
  const host = text.toLowerCase()
  if (host.includes('@') || /:\d/.test(host)) return 'The address has a user or a port. Remove it.'
  // The case of a placeholder's name matters.
  const labels = text.split('.').map((label) => (placeholder.test(label) ? label : label.toLowerCase()))
  const isValid = labels.every((label) => /^[a-z0-9_-]+$/.test(label.replace(placeholder, 'x')))
  if (!isValid) return 'The hostname is not valid. Write international names in their xn-- form.'
  return labels.map((label) => parseTemplate(label, (literal) => literal))
}

/** What most segments consist of, which says that they mean just themselves: no escape, accent or placeholder. */
const plain = /^[\w !$&'()+,;=@~-][\w !$&'()+,.;=@~-]*$/

/** Or what is wrong with the first one that is not valid: a file may have hundreds of thousands of them. */
function parseSegments(text: string): Segment[] | string {
  const segments: Segment[] = []
  for (const one of text.split('/')) {
    const segment = parseSegment(one)
    if (segment instanceof Error) return segment.message
    segments.push(segment)
  }
  return segments
}

function parseSegment(text: string): Segment | Error {
  if (plain.test(text)) return text
  let parsed: Segment
  let isName = true
  try {
    parsed = parseTemplate(text, (literal) => {
      const name = normalizeName(decodeURIComponent(literal))
      isName &&= name !== null
      return name ?? ''
    })
  } catch {
    return new Error('The path has a % that is not part of an escape. Write it as %25.')
  }
  if (!isName) return new Error('The path has more accents in a row than a file name can have.')
  const literals = typeof parsed === 'string' ? [parsed] : parsed.literals
  if (literals.some((literal) => /[/\\\p{Cc}]/u.test(literal))) {
    return new Error('The path has an encoded slash, a backslash or a control character, which no file has.')
  }
  if (parsed === '.' || parsed === '..')
    return new Error('The path has a dot segment, which browsers remove. Write the path without it.')
  if (literals.slice(1, -1).includes('')) return new Error('Two placeholders need text between them.')
  return parsed
}

/** Text without placeholders stays a string. */
export function parseTemplate(text: string, literal: (text: string) => string): Segment {
  if (!text.includes(':')) return literal(text)
  const pieces = text.split(placeholders)
  if (pieces.length === 1) return literal(text)
  return {
    literals: pieces.filter((_, at) => at % 2 === 0).map(literal),
    names: pieces.filter((_, at) => at % 2 === 1),
  }
}

/** The name in `:name`. */
export function capturedName(value: string): string | null {
  return /^:([A-Za-z]\w*)$/.exec(value)?.[1] ?? null
}

/** Requests have none either. */
function withoutRepeatedSlashes(path: string): string {
  return path.replace(/\/{2,}/g, '/')
}

export function isStatic({ segments, splat, host }: Pattern): boolean {
  return splat === null && [...segments, ...(host ?? [])].every((one) => typeof one === 'string')
}

export function namesIn({ host, segments, splat }: Pattern): Set<string> {
  const parts = [...(host ?? []), ...segments, ...(splat?.tail ?? [])]
  const names = parts.flatMap((one) => (typeof one === 'string' ? [] : one.names))
  return new Set(splat === null ? names : [...names, 'splat'])
}

/** Placeholders with text before them in their segment, as in `/wiki/Talk:Main`, where the colon may be meant as text. */
export function namesAfterText({ segments, splat }: Pattern): string[] {
  return [...segments, ...(splat?.tail ?? [])].flatMap((one) =>
    typeof one === 'string' ? [] : one.names.filter((_, at) => one.literals[at] !== ''),
  )
}

/** What no path has, so that it stands for any. */
const anything = '\0'

/** A path that a pattern matches, and that others match only if they match nearly all of its paths. */
export function examplePath({ segments, splat }: Pattern): string {
  const texts = (list: readonly Segment[]) =>
    list.map((one) => (typeof one === 'string' ? one : one.literals.join(anything)))
  const rest =
    splat === null ? [] : [`${splat.prefix}${anything}`, `${anything}${splat.suffix}`, ...texts(splat.tail)]
  return `/${[...texts(segments), ...rest].join('/')}`
}

/** The same for two patterns that match the same paths and differ in the names of their placeholders. */
export function withoutNames({ host, segments, splat }: Pattern): object {
  const texts = (list: readonly Segment[]) =>
    list.map((one) => (typeof one === 'string' ? one : { literals: one.literals }))
  return {
    host: host === null ? null : texts(host),
    segments: texts(segments),
    splat: splat === null ? null : { ...splat, tail: texts(splat.tail) },
  }
}
