/** A source of vercel.json as a pattern of ours. */
export interface VercelSource {
  from: string
  /** What its parameters are called here, by name and by position. */
  names: ReadonlyMap<string, string>
}

const maxLength = 2_000
const parameter = /^:([A-Za-z_]\w*)/
const anything = /^\(\.[*+]\)/

/**
 * Translates the part of path-to-regexp that patterns here can do: `:name`, and once per path `:name*`, `:name+`,
 * `(.*)` or `:name(.*)`. Returns why it cannot.
 */
export function translateSource(source: string): VercelSource | string {
  if (source.length > maxLength) return `The source is longer than ${maxLength} characters.`
  const names = new Map<string, string>()
  let from = ''
  let parameters = 0
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
      from += '*'
      rest = after.slice(whole.length)
      // `:path(.*)*` says the same twice.
      if (name !== null) rest = rest.replace(/^[*+]/, '')
    } else if (name !== null) {
      if (after.startsWith('?'))
        return `The optional parameter :${name}? is not supported. Write one rule with it and one without.`
      if (after.startsWith('(')) return unsupported(after)
      found(name, name)
      from += `:${name}`
      rest = after
    } else if (/^\\[^A-Za-z0-9:*]/.test(rest)) {
      from += rest[1]
      rest = rest.slice(2)
    } else if (/^[(){}\\*+?|^$[\]]/.test(rest)) return unsupported(rest)
    else {
      from += rest[0]
      rest = rest.slice(1)
    }
  }
  return { from, names }
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
    .replace(/:([A-Za-z_]\w*)([*+]?)/g, (written, name, repeats) => {
      const here = names.get(name)
      return here === undefined ? written : here === name ? `:${name}${repeats}` : `:${here}`
    })
}
