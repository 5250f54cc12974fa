import type { SplatNeed } from '../pattern.ts'

/** A source of vercel.json as a pattern of ours. */
export interface VercelSource {
  from: string
  /** What its `*` needs; null for nothing. */
  splat: SplatNeed | null
  /** A second pattern, for paths without the segments that `:name*` stands for; null if it needs none. */
  without: string | null
  /** The path above a `*` at the end that needs a slash; null if there is none. */
  above: string | null
  /** What its parameters are called here, by name and by position. */
  names: ReadonlyMap<string, string>
}

const maxLength = 2_000
const parameter = /^:(\w*)/
const anything = /^\(\.[*+]\)/
/** Characters that mean something in patterns here. */
const escapes: ReadonlyMap<string, string> = new Map([
  [':', '%3A'],
  ['*', '%2A'],
  ['?', '%3F'],
  ['#', '%23'],
])

/**
 * Translates the part of path-to-regexp that patterns here can do: `:name`, and once per path `:name*`, `:name+`,
 * `(.*)`, `(.+)` or `:name(.*)`. Returns why it cannot.
 */
export function translateSource(source: string): VercelSource | string {
  if (source.length > maxLength) return `The source is longer than ${maxLength} characters.`
  const names = new Map<string, string>()
  let from = ''
  let splat: SplatNeed | null = null
  let without: string | null = null
  let above: string | null = null
  let parameters = 0
  const append = (text: string) => {
    from += text
    if (without !== null) without += text
  }
  const found = (name: string | null, here: string) => {
    if (name !== null) names.set(name, here)
    names.set(String(++parameters), here)
  }
  for (let rest = source; rest !== ''; ) {
    const name = parameter.exec(rest)?.[1] ?? null
    const after = name === null ? rest : rest.slice(name.length + 1)
    const group = anything.exec(after)?.[0] ?? ''
    const isParameter = name !== null || group !== ''
    const modifier = isParameter ? (/^[*+?]/.exec(after.slice(group.length))?.[0] ?? '') : ''
    const problem = isParameter ? parameterProblem({ name, group, modifier, from }) : null
    if (problem !== null) return problem
    if (group !== '' || modifier !== '') {
      found(name, 'splat')
      rest = after.slice(group.length + modifier.length)
      const wildcard = readWildcard({ from, rest, group, modifier })
      splat = wildcard.splat
      without = from.includes('*') ? null : wildcard.without
      above = splat === 'slash' ? from.slice(0, -1) : null
      from += '*'
    } else if (name !== null) {
      if (after.startsWith('(')) return unsupported(after)
      found(name, name)
      append(`:${name}`)
      rest = after
    } else if (/^\\[^A-Za-z0-9]/.test(rest)) {
      append(escapes.get(rest.charAt(1)) ?? rest.charAt(1))
      rest = rest.slice(2)
    } else if (/^[(){}\\*+?|^$[\]]/.test(rest)) return unsupported(rest)
    else {
      append(rest.charAt(0))
      rest = rest.slice(1)
    }
  }
  return { from, splat, without, above, names }
}

interface WrittenParameter {
  /** Null if it has none. */
  name: string | null
  /** `(.*)`, `(.+)` or empty. */
  group: string
  /** `*`, `+`, `?` or empty. */
  modifier: string
  /** The pattern before it. */
  from: string
}

function parameterProblem({ name, group, modifier, from }: WrittenParameter): string | null {
  const written = `${name === null ? '' : `:${name}`}${group}${modifier}`
  if (name === '')
    return 'A colon starts a parameter, and no name follows. Write a colon that is text as \\\\:.'
  // Only plain ones keep their name here, where it starts with a letter.
  const isPlain = group === '' && modifier === ''
  if (name !== null && !(isPlain ? /^[A-Za-z]/ : /^[A-Za-z_]/).test(name))
    return `The name of the parameter :${name} does not start with a letter, which is not supported. Rename it.`
  if (modifier === '?')
    return `The optional parameter ${written} is not supported. Write one rule with it and one without.`
  // There, it repeats within the segment.
  if (modifier !== '' && !from.endsWith('/'))
    return `The parameter ${written} does not start after a slash, which is not supported. Use (.*) or :name there.`
  return null
}

/** What `:name*`, `:name+`, `(.*)` and the like mean between `from` and `rest`. */
function readWildcard({
  from,
  rest,
  group,
  modifier,
}: Omit<WrittenParameter, 'name'> & { rest: string }): Pick<VercelSource, 'splat' | 'without'> {
  const isSegment = from.endsWith('/')
  const isOptional = modifier === '*'
  const isLast = rest === ''
  if (isOptional && isLast) return { splat: null, without: null }
  // The slash before it is left out as well.
  const isPossibleWithout = isOptional && (rest.startsWith('/') || from !== '/')
  const without = isPossibleWithout ? from.slice(0, -1) : null
  if (group === '(.*)') {
    const needsSlash = isSegment && isLast && from !== '/'
    return { splat: needsSlash ? 'slash' : null, without }
  }
  // Between two slashes there is always something.
  return { splat: isSegment && rest.startsWith('/') ? null : 'text', without }
}

function unsupported(rest: string): string {
  const shown = JSON.stringify(rest.length > 40 ? `${rest.slice(0, 40)}…` : rest)
  return `The regular expression at ${shown} is not supported. Use :name, :name* or (.*), or several rules.`
}

/** Replaces `:name*`, `:name` and `$1` by what they are called here. */
export function translateDestination(text: string, names: ReadonlyMap<string, string>): string {
  return text
    .replace(/\$(\d{1,2})/g, (written, position) =>
      names.has(position) ? `:${names.get(position)}` : written,
    )
    .replace(/:([A-Za-z_]\w*)(?:\(\.[*+]\))?[*+]?/g, (written, name) =>
      names.has(name) ? `:${names.get(name)}` : written,
    )
}

/** A destination for paths without the segments that `:name*` stands for. */
export function withoutSplat(destination: string): string {
  return destination.replace(/\/:splat(?![^/?#])/g, '').replace(/:splat\b/g, '') || '/'
}
