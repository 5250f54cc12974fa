import { decodeRoutePath, encodeText, startsWithEscapedSlash } from '../site-paths/site-path.ts'
import { capture, segmentsOf } from './match-pattern.ts'
import { FirstLanguage } from './matching/first-language.ts'
import { heapBytesOf } from './matching/heap-bytes.ts'
import { MatchBudget, workPerSegment } from './matching/match-budget.ts'
import { RequestQuery } from './matching/request-query.ts'
import { type Pattern, parsePattern } from './pattern.ts'
import { PatternIndex } from './pattern-index.ts'
import type { RedirectRule } from './rules.ts'
import {
  escapeQuery,
  type FileTarget,
  filePathOf,
  locationOf,
  parseFileTarget,
  parseRedirectTarget,
  type RedirectTarget,
} from './target.ts'

export interface RuleRequest {
  /** Decoded by `decodeRoutePath`. */
  path: string
  hostname: string
  /** With its question mark, or empty. As it came over the wire, one character per byte. */
  query: string
  acceptLanguage: string | undefined
  /** Of two letters. Undefined if it is not known. */
  country?: string | undefined
}

export type RuleAnswer =
  | { kind: 'redirect'; location: string; rule: RedirectRule }
  /** `path` may not be the path of a file. */
  | { kind: 'file'; path: string; rule: RedirectRule }

export interface RuleMatch {
  answer: RuleAnswer | null
  /** The request headers that it depends on besides the address, also if nothing matched. Empty for none. */
  vary: string
  /** Whether the rule names this one path, rather than many by a pattern. */
  isExact: boolean
}

export type PassOver = (rule: RedirectRule, why: string) => void

interface Entry {
  readonly rule: RedirectRule
  readonly pattern: Pattern
  readonly order: number
  readonly redirect: RedirectTarget | null
  readonly file: FileTarget | null
}

/** What the files of a site decide about its rules. */
export interface RuledFiles {
  /** Where HTML handling leads from a path; null if nowhere. */
  canonicalPathOf(path: string): string | null
  /** Whether a rule with status 200 can show this. */
  canShow(path: string): boolean
}

const anyFiles: RuledFiles = { canonicalPathOf: () => null, canShow: () => true }

/** Finds the redirect or rewrite for a request. */
export class RedirectMatcher {
  readonly #index = new PatternIndex<Entry>()
  /** Of the forced ones, so that files without any need no look at all the others. */
  readonly #forced = new PatternIndex<Entry>()
  readonly #countryHeader: string | null
  readonly #files: RuledFiles
  #rules = 0
  #entryBytes = 0

  /** The header with the visitor's country is for caches; null if there is none. */
  constructor(
    rules: readonly RedirectRule[],
    countryHeader: string | null = null,
    files: RuledFiles = anyFiles,
  ) {
    this.#countryHeader = countryHeader
    this.#files = files
    for (const rule of rules) this.add(rule)
  }

  /** After all others. */
  add(rule: RedirectRule): void {
    const order = this.#rules++
    const pattern = parsePattern(rule.from, rule.splat)
    const isFile = rule.status === 200 || rule.status === 404
    const file = isFile ? parseFileTarget(rule.to) : null
    const redirect = isFile ? null : parseRedirectTarget(rule.to)
    if (typeof pattern === 'string' || typeof file === 'string' || typeof redirect === 'string') return
    const entry = { rule, pattern, order, redirect, file: file?.path ?? null }
    this.#index.add(entry)
    if (rule.force === true) this.#forced.add(entry)
    this.#entryBytes += heapBytesOf(entry)
  }

  /** What it takes in memory, at most. */
  get bytes(): number {
    return this.#entryBytes + this.#index.bytes + this.#forced.bytes
  }

  get size(): number {
    return this.#index.size
  }

  /** Whether that a rule comes before a file depends on the host. */
  get forcedDependOnHost(): boolean {
    return this.#forced.dependsOnHost
  }

  /** Whether a rule may come before the file at this path. */
  mayComeBeforeFile({ path, hostname }: Pick<RuleRequest, 'path' | 'hostname'>): boolean {
    if (this.#forced.size === 0) return false
    const budget = new MatchBudget()
    const has = (spelling: string) => this.#forced.match(spelling, hostname, budget).length > 0
    return has(path) || has(otherSlash(path))
  }

  /**
   * The first rule whose path matches and whose conditions hold. It decides, forced or not. A last slash makes no
   * difference. `passOver` is told of the rules before it, and why they do not apply. Throws MatchBudgetError.
   */
  match(request: RuleRequest, passOver?: PassOver): RuleMatch | null {
    const budget = new MatchBudget()
    const query = new RequestQuery(request.query, budget)
    const language = new FirstLanguage(request.acceptLanguage)
    return this.#matchAt(request, { budget, query, language }, passOver)
  }

  #matchAt(request: RuleRequest, visitor: Visitor, passOver?: PassOver): RuleMatch | null {
    const { budget, query, language } = visitor
    /** What answers at targets that lead back. Many rules may have the same target. */
    let answers: Map<string, RuleAnswer | null> | null = null
    let byLanguage = false
    let byCountry = false
    const vary = () => varyOf(byLanguage, byCountry ? this.#countryHeader : null)
    for (const { entry, segments } of this.#candidates(request, budget)) {
      const { rule, pattern, redirect, file } = entry
      const { languages, countries } = rule
      budget.spend(workPerSegment * (1 + (languages?.length ?? 0) + (countries?.length ?? 0)))
      if (languages !== undefined) {
        byLanguage = true
        if (!language.isOneOf(languages)) {
          passOver?.(rule, `The visitor's first language is not ${languages.join(' or ')}.`)
          continue
        }
      }
      if (countries !== undefined) {
        byCountry = true
        if (!countries.includes(request.country?.toLowerCase() ?? '')) {
          const list = countries.map((one) => one.toUpperCase()).join(' or ')
          passOver?.(rule, request.country === undefined ? unknownCountry : `The visitor is not in ${list}.`)
          continue
        }
      }
      budget.spend(request.path.length / 4)
      const captures = capture(pattern, segments, request.hostname)
      if (captures === null) continue
      const rest = query.match(rule.query, captures)
      if (rest === null) {
        passOver?.(rule, 'The query does not have what the rule asks for.')
        continue
      }
      const isExact = hasOnePath(pattern)
      if (file !== null) {
        const shown = filePathOf(file, captures)
        // It must not hide the file at the path for a page that does not exist.
        if (rule.force === true && rule.status === 200 && !this.#files.canShow(shown)) {
          passOver?.(rule, nothingToShow(shown))
          continue
        }
        return { answer: { kind: 'file', path: shown, rule }, vary: vary(), isExact }
      }
      if (redirect === null) continue
      if (redirect.origin === null && Object.values(captures).some(startsWithEscapedSlash)) {
        passOver?.(rule, 'What * or a placeholder stands for starts with an escaped slash.')
        continue
      }
      const location = locationOf(redirect, captures, rest)
      budget.spend(workOf(location))
      const keepsQuery = rule.query === undefined && redirect.query === null
      const target = keepsQuery ? pathHere(withoutQuery(location), request) : targetOf(location, request)
      const circle = this.#circleOf(rule, target, request, (path) => {
        answers ??= new Map()
        const known = answers.get(path)
        if (known !== undefined) return known
        const answer = this.#matchAt({ ...request, path }, visitor)?.answer ?? null
        answers.set(path, answer)
        return answer
      })
      if (circle !== null) {
        passOver?.(rule, circle)
        continue
      }
      return { answer: { kind: 'redirect', location, rule }, vary: vary(), isExact }
    }
    return byLanguage || byCountry ? { answer: null, vary: vary(), isExact: false } : null
  }

  /** Why a redirect to this path would bring the visitor back to this address; null if it does not. */
  #circleOf(
    rule: RedirectRule,
    path: string | undefined | null,
    request: RuleRequest,
    answerAt: (path: string) => RuleAnswer | null,
  ): string | null {
    if (path === null || path === request.path) return 'It leads to the same address.'
    // Without force, the page at this address comes first anyway.
    if (path === undefined || rule.force !== true) return null
    if (this.#files.canonicalPathOf(path) !== request.path) return null
    // Another forced rule may answer there before HTML handling does.
    const next = answerAt(path)?.rule
    return next?.force === true && next !== rule ? null : 'Its target leads back to this address.'
  }

  /**
   * Rules that have the path with and without its last slash apply to their own spelling only, and so do those whose `*`
   * needs something.
   */
  #candidates({ path, hostname }: RuleRequest, budget: MatchBudget): Candidate[] {
    const found = candidatesAt(path, this.#index.match(path, hostname, budget))
    const other = otherSlash(path)
    const others = candidatesAt(other, this.#index.match(other, hostname, budget))
    if (others.length === 0) return found
    const known = new Set(found.map(({ entry }) => entry))
    const isSpelled = found.some(({ entry }) => hasOnePath(entry.pattern))
    for (const candidate of others) {
      const { entry } = candidate
      const isOfOther = (isSpelled && hasOnePath(entry.pattern)) || isSpellingExact(entry.pattern)
      if (!known.has(entry) && !isOfOther) found.push(candidate)
    }
    return found.sort((a, b) => a.entry.order - b.entry.order)
  }
}

interface Candidate {
  readonly entry: Entry
  /** Of the path in the spelling that the rule is for. */
  readonly segments: readonly string[]
}

function candidatesAt(path: string, entries: readonly Entry[]): Candidate[] {
  if (entries.length === 0) return []
  const segments = segmentsOf(path)
  return entries.map((entry) => ({ entry, segments }))
}

/** What rules look at besides the path, read once however many rules there are. */
interface Visitor {
  readonly query: RequestQuery
  readonly language: FirstLanguage
  readonly budget: MatchBudget
}

/** Of parsing an address to compare it with another. Escapes are decoded one by one. */
function workOf(location: string): number {
  return location.length * (location.includes('%') ? 20 : 1)
}

export function nothingToShow(path: string): string {
  return `There is no file ${encodeText(path, (text) => text)} to show.`
}

const unknownCountry = 'Where the visitor is, is not known.'

function varyOf(byLanguage: boolean, countryHeader: string | null): string {
  if (!byLanguage) return countryHeader ?? ''
  return countryHeader === null ? 'Accept-Language' : `Accept-Language, ${countryHeader}`
}

function hasOnePath({ segments, splat }: Pattern): boolean {
  return splat === null && segments.every((one) => typeof one === 'string')
}

/** Whether `/docs` and `/docs/` are two paths to it. */
export function isSpellingExact({ splat }: Pattern): boolean {
  return splat?.needs !== undefined
}

/** `/docs` for `/docs/` and the reverse. Netlify does not tell them apart. */
export function otherSlash(path: string): string {
  return path.endsWith('/') ? path.slice(0, -1) || '/' : `${path}/`
}

function withoutQuery(location: string): string {
  const mark = location.indexOf('?')
  return mark === -1 ? location : location.slice(0, mark)
}

/**
 * Where a redirect leads on this host. Undefined if it is elsewhere, has another query or dot segments; null if it is no
 * address. A rule such as `/* /:splat 301` would send visitors in circles. A port or scheme may be changed by a proxy, so
 * neither counts.
 */
function targetOf(location: string, request: RuleRequest): string | undefined | null {
  const { query } = request
  // Browsers escape this one character more than we do.
  const sent = query === '?' ? '' : escapeQuery(query).replaceAll("'", '%27')
  return pathHere(location, request, sent)
}

function pathHere(location: string, { hostname }: RuleRequest, search = ''): string | undefined | null {
  const base = `http://${hostname || 'localhost'}/`
  const target = URL.parse(location, base)
  if (target === null) return null
  const isHere = location.startsWith('/') || target.hostname === new URL(base).hostname
  return isHere && target.search === search ? (decodeRoutePath(target.pathname) ?? undefined) : undefined
}
