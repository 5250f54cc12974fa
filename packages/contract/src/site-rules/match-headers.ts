import { encodeText } from '../site-paths/site-path.ts'
import { isBelowPlatform, isHostDependent, withoutSharedCookies } from './checks/shared-cookies.ts'
import {
  addedHeaders,
  allowsReuse,
  hasOneValue,
  isCachingHeader,
  ownedBecause,
  separateHeader,
} from './header-names.ts'
import { type Captures, capture, segmentsOf } from './match-pattern.ts'
import { isSpellingExact, otherSlash } from './match-redirects.ts'
import { heapBytesOf } from './matching/heap-bytes.ts'
import { MatchBudget } from './matching/match-budget.ts'
import { namesIn, type Pattern, parsePattern, parseTemplate, type Segment } from './pattern.ts'
import { PatternIndex } from './pattern-index.ts'
import { type HeaderRule, headersFile, type RuleFile, ruleFiles, ruleLimits } from './rules.ts'
import { fill } from './target.ts'

/** What the rules for a path do to the headers of a response. */
export interface HeaderChanges {
  /** Whether it is the same object every time, so that what is derived from it can be kept. */
  readonly isKept: boolean
  /** In lower case. */
  readonly unset: ReadonlySet<string>
  /** By name in lower case. */
  readonly set: ReadonlyMap<string, SetHeader>
}

export interface SetHeader {
  readonly name: string
  readonly values: readonly string[]
  /** All of them, put together once for all responses. */
  readonly text: string
  /** Where the values come from. */
  readonly rules: readonly HeaderRule[]
}

interface Entry {
  readonly rule: HeaderRule
  readonly pattern: Pattern
  readonly order: number
  /** Null if no value has a placeholder. */
  readonly values: readonly Segment[] | null
}

interface Matched {
  readonly entry: Entry
  /** What it matched. */
  readonly path: string
  /** Whether it may let caches use the answer again without asking. */
  readonly mayAllowReuse: boolean
}

/** Of headers that are put together for one request. Rules that no path was checked for may have thousands together. */
const workPerHeader = 150

/** What one header takes in memory where the headers of a combination of rules are kept. */
const keptHeaderBytes = 250

/** Finds the headers for a response. The same combination of rules is the same object every time. */
export class HeaderMatcher {
  readonly #index = new PatternIndex<Entry>()
  /** By combination of rules. */
  readonly #kept = new Map<string, HeaderChanges>()
  /** For headers of combinations, of which a site has a few. Hundreds of rules have more than fit into any memory. */
  #room: number
  /** Null if sites share no domain. */
  readonly #platformDomain: string | null
  /** Whether a value is another one below the platform domain. */
  readonly #hasHostDependent: boolean
  readonly setsStrictTransport: boolean
  /** What it takes in memory, at most. */
  readonly bytes: number

  constructor(rules: readonly HeaderRule[], platformDomain: string | null = null) {
    this.#platformDomain = platformDomain
    this.#hasHostDependent = rules.some(({ set }) => set.some(([name]) => isHostDependent(name)))
    let headers = 0
    let bytes = 0
    let setsStrictTransport = false
    for (const [order, rule] of inOrder(rules).map(withoutOwned).entries()) {
      const pattern = parsePattern(rule.from, rule.splat)
      if (typeof pattern === 'string') continue
      const values = rule.set.map(([, value]) => parseTemplate(value, (literal) => literal))
      const names = namesIn(pattern)
      const isPlain = values.every(
        (one) => typeof one === 'string' || !one.names.some((name) => names.has(name)),
      )
      const entry = { rule, pattern, order, values: isPlain ? null : values }
      this.#index.add(entry)
      bytes += heapBytesOf(entry)
      headers += rule.set.length + rule.unset.length
      setsStrictTransport ||= rule.set.some(([name]) => name.toLowerCase() === 'strict-transport-security')
    }
    this.#room = 40 + 8 * headers
    this.bytes = bytes + this.#index.bytes + this.#room * keptHeaderBytes
    this.setsStrictTransport = setsStrictTransport
  }

  get size(): number {
    return this.#index.size
  }

  get dependsOnHost(): boolean {
    return this.#hasHostDependent || this.#index.dependsOnHost
  }

  #match(
    paths: readonly string[],
    hostname: string,
    filePaths: readonly string[],
    budget: MatchBudget,
  ): Matched[] {
    const found = new Map<Entry, { path: string; mayAllowReuse: boolean }>()
    const ofFile = new Set(bothSlashes(filePaths))
    for (const path of new Set(bothSlashes(paths))) {
      for (const entry of this.#index.match(path, hostname, budget)) {
        if (isSpellingExact(entry.pattern) && !paths.includes(path)) continue
        const known = found.get(entry)
        if (known === undefined) found.set(entry, { path, mayAllowReuse: ofFile.has(path) })
        else known.mayAllowReuse ||= ofFile.has(path)
      }
    }
    return Array.from(found, ([entry, how]) => ({ entry, ...how })).sort(
      (a, b) => a.entry.order - b.entry.order,
    )
  }

  /**
   * For a response at the first path that has also these other paths. Null if no rule is about it. Only rules for one of
   * `filePaths` may let caches use it again without asking. Throws MatchBudgetError.
   */
  changesFor(
    paths: readonly string[],
    hostname: string,
    filePaths: readonly string[] = paths,
  ): HeaderChanges | null {
    const budget = new MatchBudget()
    const matched = this.#match(paths, hostname, filePaths, budget)
    if (matched.length === 0) return null
    const headers = matched.reduce(
      (sum, { entry }) => sum + entry.rule.set.length + entry.rule.unset.length,
      0,
    )
    const platformDomain = this.#platformDomain
    const at = { hostname, platformDomain }
    if (matched.some(({ entry }) => entry.values !== null)) {
      budget.spend(workPerHeader, headers)
      return combine(matched, at)
    }
    const isBelow =
      this.#hasHostDependent && platformDomain !== null && isBelowPlatform(hostname, platformDomain)
    const rules = matched.map(({ entry, mayAllowReuse }) => `${entry.order}${mayAllowReuse ? '' : '-'}`)
    const key = `${isBelow ? 'p' : ''}${rules.join()}`
    const known = this.#kept.get(key)
    if (known !== undefined) return known
    if (headers > this.#room) budget.spend(workPerHeader, headers)
    const changes = combine(matched, at)
    const size = roomFor(changes)
    if (size > this.#room) return changes
    this.#room -= size
    const kept = { ...changes, isKept: true }
    this.#kept.set(key, kept)
    return kept
  }
}

/** As a number of headers. A text of several values is one that the rules do not have yet. */
function roomFor({ set, unset }: HeaderChanges): number {
  let size = 1 + set.size + unset.size
  for (const { values, text } of set.values()) if (values.length > 1) size += text.length / keptHeaderBytes
  return size
}

function bothSlashes(paths: readonly string[]): string[] {
  return paths.flatMap((path) => [path, otherSlash(path)])
}

/** The order in which rules apply: the most important file is the last, so that it has the last word. */
function inOrder(rules: readonly HeaderRule[]): HeaderRule[] {
  const rank = ({ file = headersFile }: HeaderRule) => ruleFiles.indexOf(file as RuleFile)
  return rules.toSorted((one, other) => rank(other) - rank(one))
}

/** Deployments of an earlier version may have rules that are refused now. */
function withoutOwned(rule: HeaderRule): HeaderRule {
  if (rule.set.every(([name]) => ownedBecause(name) === null)) return rule
  return { ...rule, set: rule.set.filter(([name]) => ownedBecause(name) === null) }
}

function combine(
  matched: readonly Matched[],
  { hostname, platformDomain }: { hostname: string; platformDomain: string | null },
): HeaderChanges {
  const unset = new Set<string>()
  const given = new Map<string, GivenValues>()
  const captured = new CapturedTexts(hostname)
  for (const { entry, path, mayAllowReuse } of matched) {
    const { rule, pattern, values } = entry
    for (const name of rule.unset) {
      // Without one, caches guess.
      if (isCachingHeader(name) && !mayAllowReuse) continue
      given.delete(name.toLowerCase())
      unset.add(name.toLowerCase())
    }
    const captures = values === null ? {} : captured.of(pattern, path)
    for (const [at, [name, text]] of rule.set.entries()) {
      const template = values?.[at] ?? text
      if (!captured.hasRoomFor(template, captures)) continue
      const filled = fill(template, captures, encodeValue)
      const value =
        platformDomain === null ? filled : withoutSharedCookies(name, filled, platformDomain, hostname)
      if (value === null) continue
      if (isCachingHeader(name) && !mayAllowReuse && allowsReuse(value)) continue
      const known = given.get(name.toLowerCase()) ?? new GivenValues(name)
      known.add(value, rule)
      given.set(name.toLowerCase(), known)
    }
  }
  return { isKept: false, unset, set: new Map(Array.from(given, ([key, values]) => [key, values.result])) }
}

/**
 * What placeholders of one response stand for. A long path in hundreds of rules would make a head of many megabytes, which
 * no client accepts.
 */
class CapturedTexts {
  readonly #hostname: string
  #left: number = ruleLimits.headersBytes

  constructor(hostname: string) {
    this.#hostname = hostname
  }

  of(pattern: Pattern, path: string): Captures {
    if (this.#left < 0) return {}
    const captures = capture(pattern, segmentsOf(path), this.#hostname) ?? {}
    for (const text of Object.values(captures)) this.#left -= text.length
    return captures
  }

  /** False for all headers with placeholders after the first that is too much. */
  hasRoomFor(template: Segment, captures: Captures): boolean {
    if (typeof template === 'string') return true
    for (const name of template.names) this.#left -= captures[name]?.length ?? 0
    return this.#left >= 0
  }
}

/** There, a rule replaces what an earlier one of the file set, whatever the header. */
const replacingFiles: ReadonlySet<string | undefined> = new Set<RuleFile>(['/netlify.toml', '/vercel.json'])

/** What the rules say about one header, one rule after the other, each value once. */
class GivenValues {
  readonly #name: string
  readonly #values: { value: string; rule: HeaderRule }[] = []
  /** Where those of the last file start. */
  #ofFile = 0

  constructor(name: string) {
    this.#name = name
  }

  /** A rule replaces what others set, or adds to it. Several values of one rule are joined. */
  add(value: string, rule: HeaderRule): void {
    const last = this.#values.at(-1)?.rule ?? rule
    if (last.file !== rule.file) this.#ofFile = this.#values.length
    if (last !== rule && hasOneValue(this.#name.toLowerCase())) this.#values.length = 0
    else if (last !== rule && replacingFiles.has(rule.file)) this.#values.length = this.#ofFile
    this.#values.push({ value, rule })
  }

  get result(): SetHeader {
    const values = [...new Set(this.#values.map(({ value }) => value))]
    const rules = [...new Set(this.#values.map(({ rule }) => rule))]
    return { name: this.#name, values, text: values.join(', '), rules }
  }
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
  for (const [key, { name, values, text }] of set) {
    if (key === separateHeader) for (const value of values) changed.push(name, value)
    else changed.push(name, [...(added.get(key) ?? []), text].join(', '))
  }
  return changed
}
