import { encodeText } from '../site-paths/site-path.ts'
import { addedHeaders, separateHeader } from './header-names.ts'
import { type Captures, capture, segmentsOf } from './match-pattern.ts'
import { otherSlash } from './match-redirects.ts'
import { namesIn, type Pattern, parsePattern, parseTemplate, type Segment } from './pattern.ts'
import { PatternIndex } from './pattern-index.ts'
import type { HeaderRule } from './rules.ts'
import { fill } from './target.ts'

/** What the rules for a path do to the headers of a response. */
export interface HeaderChanges {
  /** Whether it is the same object every time, so that what is derived from it can be kept. */
  readonly isKept: boolean
  /** In lower case. */
  readonly unset: ReadonlySet<string>
  /** By name in lower case. */
  readonly set: ReadonlyMap<string, { readonly name: string; readonly values: readonly string[] }>
}

interface Entry {
  readonly rule: HeaderRule
  readonly pattern: Pattern
  readonly order: number
  /** Null if no value has a placeholder. */
  readonly values: readonly Segment[] | null
}

/** Combinations of rules; sites have a few. */
const maxKept = 1_000

/** Finds the headers for a response. The same combination of rules is the same object every time. */
export class HeaderMatcher {
  readonly #index = new PatternIndex<Entry>()
  readonly #kept = new Map<string, HeaderChanges>()
  readonly setsStrictTransport: boolean
  /** An upper bound of what the rules add to one response. */
  readonly bytes: number

  constructor(rules: readonly HeaderRule[]) {
    let bytes = 0
    let setsStrictTransport = false
    for (const [order, rule] of rules.entries()) {
      const pattern = parsePattern(rule.from)
      if (typeof pattern === 'string') continue
      const values = rule.set.map(([, value]) => parseTemplate(value, (literal) => literal))
      const names = namesIn(pattern)
      const isPlain = values.every(
        (one) => typeof one === 'string' || !one.names.some((name) => names.has(name)),
      )
      this.#index.add({ rule, pattern, order, values: isPlain ? null : values })
      for (const [name, value] of rule.set) {
        bytes += name.length + value.length
        setsStrictTransport ||= name.toLowerCase() === 'strict-transport-security'
      }
    }
    this.bytes = bytes
    this.setsStrictTransport = setsStrictTransport
  }

  get size(): number {
    return this.#index.size
  }

  get dependsOnHost(): boolean {
    return this.#index.dependsOnHost
  }

  /** The rules that the changes for these paths come from, in their order. */
  rulesFor(paths: readonly string[], hostname: string): HeaderRule[] {
    return this.#match(paths, hostname).map(([{ rule }]) => rule)
  }

  #match(paths: readonly string[], hostname: string): [Entry, string][] {
    const found = new Map<Entry, string>()
    for (const path of new Set(paths.flatMap((one) => [one, otherSlash(one)]))) {
      for (const entry of this.#index.match(path, hostname)) if (!found.has(entry)) found.set(entry, path)
    }
    return [...found].sort(([a], [b]) => a.order - b.order)
  }

  /** For a response at the first path that has also these other paths. Null if no rule is about it. */
  changesFor(paths: readonly string[], hostname: string): HeaderChanges | null {
    const matched = this.#match(paths, hostname)
    if (matched.length === 0) return null
    if (matched.some(([{ values }]) => values !== null)) return combine(matched, hostname, false)
    const key = matched.map(([{ order }]) => order).join()
    const known = this.#kept.get(key)
    if (known !== undefined) return known
    const isKept = this.#kept.size < maxKept
    const changes = combine(matched, hostname, isKept)
    if (isKept) this.#kept.set(key, changes)
    return changes
  }
}

function combine(
  matched: readonly (readonly [Entry, string])[],
  hostname: string,
  isKept: boolean,
): HeaderChanges {
  const unset = new Set<string>()
  const set = new Map<string, { name: string; values: string[] }>()
  for (const [{ rule, pattern, values }, path] of matched) {
    for (const name of rule.unset) {
      set.delete(name.toLowerCase())
      unset.add(name.toLowerCase())
    }
    const captures: Captures = values === null ? {} : (capture(pattern, segmentsOf(path), hostname) ?? {})
    for (const [at, [name, text]] of rule.set.entries()) {
      const value = values === null ? text : fill(values[at] ?? '', captures, encodeValue)
      const known = set.get(name.toLowerCase())
      if (known === undefined) set.set(name.toLowerCase(), { name, values: [value] })
      else known.values.push(value)
    }
  }
  return { isKept, unset, set }
}

function encodeValue(value: string): string {
  return encodeText(value, encodeURI)
}

/** Applies changes to a list of names and values. Rules replace what the server would send, or add to its lists. */
export function applyHeaderChanges(headers: string[], { set, unset }: HeaderChanges): string[] {
  const changed: string[] = []
  const added = new Map<string, string[]>()
  for (let at = 0; at + 1 < headers.length; at += 2) {
    const [name = '', value = ''] = [headers[at], headers[at + 1]]
    const key = name.toLowerCase()
    if (addedHeaders.has(key)) added.set(key, [...(added.get(key) ?? []), value])
    if (addedHeaders.has(key) && set.has(key)) continue
    if (addedHeaders.has(key) || !(set.has(key) || unset.has(key))) changed.push(name, value)
  }
  for (const [key, { name, values }] of set) {
    if (key === separateHeader) for (const value of values) changed.push(name, value)
    else changed.push(name, [...(added.get(key) ?? []), ...values].join(', '))
  }
  return changed
}
