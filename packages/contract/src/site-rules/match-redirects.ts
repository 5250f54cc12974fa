import { decodeRoutePath, encodeText, startsWithEscapedSlash } from '../site-paths/site-path.ts'
import { type Captures, capture, segmentsOf } from './match-pattern.ts'
import { capturedName, type Pattern, parsePattern } from './pattern.ts'
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

  /** The header with the visitor's country is for caches; null if there is none. */
  constructor(
    rules: readonly RedirectRule[],
    countryHeader: string | null = null,
    files: RuledFiles = anyFiles,
  ) {
    this.#countryHeader = countryHeader
    this.#files = files
    for (const [order, rule] of rules.entries()) {
      const pattern = parsePattern(rule.from, rule.splat)
      const isFile = rule.status === 200 || rule.status === 404
      const file = isFile ? parseFileTarget(rule.to) : null
      const redirect = isFile ? null : parseRedirectTarget(rule.to)
      if (typeof pattern === 'string' || typeof file === 'string' || typeof redirect === 'string') continue
      const entry = { rule, pattern, order, redirect, file: file?.path ?? null }
      this.#index.add(entry)
      if (rule.force === true) this.#forced.add(entry)
    }
  }

  get size(): number {
    return this.#index.size
  }

  /** Whether a rule may come before the file at this path. */
  mayComeBeforeFile({ path, hostname }: Pick<RuleRequest, 'path' | 'hostname'>): boolean {
    if (this.#forced.size === 0) return false
    const has = (spelling: string) => this.#forced.match(spelling, hostname).length > 0
    return has(path) || has(otherSlash(path))
  }

  /**
   * The first rule whose path matches and whose conditions hold. It decides, forced or not. A last slash makes no
   * difference. `passOver` is told of the rules before it, and why they do not apply.
   */
  match(request: RuleRequest, passOver?: PassOver): RuleMatch | null {
    return this.#matchAt(request, new RequestQuery(request.query), passOver)
  }

  #matchAt(request: RuleRequest, query: RequestQuery, passOver?: PassOver): RuleMatch | null {
    /** What answers at targets that lead back. Many rules may have the same target. */
    let answers: Map<string, RuleAnswer | null> | null = null
    let byLanguage = false
    let byCountry = false
    const vary = () => varyOf(byLanguage, byCountry ? this.#countryHeader : null)
    for (const { entry, path } of this.#candidates(request)) {
      const { rule, pattern, redirect, file } = entry
      const { languages, countries } = rule
      if (languages !== undefined) {
        byLanguage = true
        if (!speaksOneOf(languages, request.acceptLanguage)) {
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
      const captures = capture(pattern, segmentsOf(path), request.hostname)
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
      const keepsQuery = rule.query === undefined && redirect.query === null
      const target = keepsQuery ? pathHere(withoutQuery(location), request) : targetOf(location, request)
      const circle = this.#circleOf(rule, target, request, (path) => {
        answers ??= new Map()
        const known = answers.get(path)
        if (known !== undefined) return known
        const answer = this.#matchAt({ ...request, path }, query)?.answer ?? null
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
  #candidates({ path, hostname }: RuleRequest): { entry: Entry; path: string }[] {
    const found = this.#index.match(path, hostname).map((entry) => ({ entry, path }))
    const other = otherSlash(path)
    const others = this.#index.match(other, hostname)
    if (others.length === 0) return found
    const known = new Set(found.map(({ entry }) => entry))
    const isSpelled = found.some(({ entry }) => hasOnePath(entry.pattern))
    for (const entry of others) {
      const isOfOther = (isSpelled && hasOnePath(entry.pattern)) || isSpellingExact(entry.pattern)
      if (!known.has(entry) && !isOfOther) found.push({ entry, path: other })
    }
    return found.sort((a, b) => a.entry.order - b.entry.order)
  }
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

interface QueryPair {
  readonly text: string
  /** Null if there is nothing between two `&`. */
  readonly name: string | null
  readonly value: string
}

interface QueryParameters {
  readonly pairs: readonly QueryPair[]
  /** The first value of each name. */
  readonly values: ReadonlyMap<string, string>
}

/** The query of a request, parsed once however many rules look at it. */
class RequestQuery {
  readonly #query: string
  #parameters: QueryParameters | null = null

  constructor(query: string) {
    this.#query = query
  }

  /** What is left of it, without the parameters of the rule; null if one is missing or has another value. */
  match(conditions: RedirectRule['query'], captures: Captures): string | null {
    if (conditions === undefined) return this.#query
    this.#parameters ??= readParameters(this.#query)
    const { pairs, values } = this.#parameters
    const names = new Set<string | null>()
    for (const [name, wanted] of conditions) {
      const given = values.get(name)
      if (given === undefined || names.has(name)) return null
      const captured = capturedName(wanted)
      if (captured !== null) captures[captured] = given
      else if (given !== wanted) return null
      names.add(name)
    }
    // As they were sent: another spelling may break a signature over the query.
    const rest = pairs.flatMap(({ text, name }) => (names.has(name) ? [] : text)).join('&')
    return rest === '' ? '' : `?${rest}`
  }
}

function readParameters(query: string): QueryParameters {
  const pairs = escapeQuery(query).slice(1).split('&').map(readPair)
  const values = new Map<string, string>()
  for (const { name, value } of pairs) if (name !== null && !values.has(name)) values.set(name, value)
  return { pairs, values }
}

function readPair(text: string): QueryPair {
  // Without the `&`, a question mark at the start would be dropped.
  const [pair] = text === '' ? [] : new URLSearchParams(`&${text}`)
  return { text, name: pair?.[0] ?? null, value: pair?.[1] ?? '' }
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

const maxHeader = 1_000

/** Whether the visitor's first language is one of these. `de` stands for `de-AT` as well. */
function speaksOneOf(languages: readonly string[], header: string | undefined): boolean {
  if (header === undefined) return false
  let best = 0
  let preferred = ''
  for (const item of header.slice(0, maxHeader).toLowerCase().split(',')) {
    const [tag = '', ...parameters] = item.split(';').map((part) => part.trim())
    const given = parameters.find((one) => one.startsWith('q='))
    const weight = given === undefined ? 1 : Number(given.slice(2))
    if (tag === '' || !(weight > best)) continue
    best = weight
    preferred = tag
  }
  return languages.some((one) => preferred === one || preferred.startsWith(`${one}-`))
}
