/** A source of vercel.json as a pattern of ours. */
export interface VercelSource {
  from: string
  /** A second pattern, for paths without the segments that `:name*` stands for; null if it needs none. */
  without: string | null
  /** The path above a `*` that stands for something there and may stand for nothing here; null if there is none. */
  above: string | null
  /** What its parameters are called here, by name and by position. */
  names: ReadonlyMap<string, string>
}

const maxLength = 2_000
const parameter = /^:([A-Za-z_]\w*)/
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
 * `(.*)` or `:name(.*)`. Returns why it cannot.
 */
export function translateSource(source: string): VercelSource | string {
  if (source.length > maxLength) return `The source is longer than ${maxLength} characters.`
  const names = new Map<string, string>()
  let from = ''
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
    const whole = anything.exec(after)?.[0] ?? (name !== null ? /^[*+]/.exec(after)?.[0] : undefined)
    if (whole !== undefined) {
      found(name, 'splat')
      rest = after.slice(whole.length)
      // `:path(.*)*` says the same twice.
      const repeats = name === null || whole.length === 1 ? whole : (/^[*+]/.exec(rest)?.[0] ?? whole)
      if (repeats !== whole) rest = rest.slice(1)
      const isSegment = from.endsWith('/')
      const isOptional = isSegment && repeats === '*' && rest.startsWith('/') && !from.includes('*')
      without = isOptional ? from.slice(0, -1) : null
      if (isSegment && repeats !== '*' && rest === '') above = from.slice(0, -1) || null
      from += '*'
    } else if (name !== null) {
      if (after.startsWith('?'))
        return `The optional parameter :${name}? is not supported. Write one rule with it and one without.`
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
  return { from, without, above, names }
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
    .replace(/:([A-Za-z_]\w*)[*+]?/g, (written, name) => (names.has(name) ? `:${names.get(name)}` : written))
}

/** A destination for paths without the segments that `:name*` stands for. */
export function withoutSplat(destination: string): string {
  return destination.replace(/\/:splat(?![^/?#])/g, '').replace(/:splat\b/g, '') || '/'
}
