import type { RuleFinding, RuleFindings } from './findings.ts'
import { MatchBudget, workPerCheck } from './matching/match-budget.ts'
import {
  capturedName,
  fragmentProblem,
  isStatic,
  namesAfterText,
  namesIn,
  type Pattern,
  parsePattern,
  withoutNames,
} from './pattern.ts'
import { PatternIndex } from './pattern-index.ts'
import { excerpt } from './rule-lines.ts'
import { type RedirectRule, redirectsFile, ruleLimits } from './rules.ts'
import {
  type FileTarget,
  isFunction,
  noFunctions,
  parseFileTarget,
  parseRedirectTarget,
  type RedirectTarget,
  unknownNames,
} from './target.ts'

interface Earlier {
  readonly rule: RedirectRule
  readonly pattern: Pattern
  readonly order: number
}

/** A rule with what was read of it. */
export interface ParsedRedirect {
  readonly rule: RedirectRule
  readonly pattern: Pattern
  /** The file of a rule with status 200 or 404 has no `origin`. */
  readonly target: RedirectTarget | { readonly path: FileTarget }
}

/** Whether the server knows where visitors are. */
export type CountrySupport = 'known' | 'none' | 'unknown'

/** The redirects of a site, from every file that has some. The first one for a path applies; others are reported. */
export class RedirectList {
  readonly rules: RedirectRule[] = []
  /** The same. */
  readonly parsed: ParsedRedirect[] = []
  /** Set if a limit is exceeded. None of the rules should be used then. */
  excess: string | null = null
  readonly #findings: RuleFindings
  readonly #countries: CountrySupport
  readonly #seen = new Map<string, { rule: RedirectRule; rules: number; isFinal: boolean }>()
  /** Those without conditions, which nothing after them gets past. */
  readonly #final = new PatternIndex<Earlier>()
  #dynamic = 0
  /** Of looking for a rule that hides another, so that the work stays small. */
  #looks = 1_000
  readonly #budget = new MatchBudget(workPerCheck)

  constructor(findings: RuleFindings, countries: CountrySupport) {
    this.#findings = findings
    this.#countries = countries
  }

  add(rule: RedirectRule): void {
    const pattern = fragmentProblem(rule.from) ?? parsePattern(rule.from, rule.splat)
    if (typeof pattern === 'string') {
      this.report(rule, 'error', pattern)
      return
    }
    if (isFunction(rule.to)) {
      this.report(rule, 'error', noFunctions)
      return
    }
    const isFile = rule.status === 200 || rule.status === 404
    const target = isFile ? parseFileTarget(rule.to) : parseRedirectTarget(rule.to)
    if (typeof target === 'string') {
      this.report(rule, 'error', target)
      return
    }
    if (rule.countries !== undefined && this.#countries !== 'known') {
      const isUnknown = this.#countries === 'unknown'
      this.report(rule, isUnknown ? 'warning' : 'error', isUnknown ? perhapsNoCountries : noCountries)
      if (!isUnknown) return
    }
    const captured = (rule.query ?? []).flatMap(([, value]) => capturedName(value) ?? [])
    const known = new Set([...namesIn(pattern), ...captured])
    const templates = 'query' in target ? [target.path, target.query ?? '', target.fragment] : [target.path]
    for (const name of templates.flatMap((template) => unknownNames(template, known))) {
      this.report(rule, 'warning', `The target has :${name}, which the source does not. It stays as text.`)
    }
    const used = new Set(templates.flatMap((one) => (typeof one === 'string' ? [] : one.names)))
    for (const name of namesAfterText(pattern)) {
      if (used.has(name)) continue
      const message = `:${name} stands for any text here. If the colon is part of the name, write it as %3A.`
      this.report(rule, 'warning', message)
    }
    this.#append({ rule, pattern, target })
  }

  report(rule: Pick<RedirectRule, 'file' | 'line'>, level: RuleFinding['level'], message: string): void {
    this.#findings.add({ file: fileOf(rule), line: rule.line, level, message })
  }

  #append(parsed: ParsedRedirect): void {
    const { rule, pattern } = parsed
    const isConditional =
      rule.query !== undefined || rule.languages !== undefined || rule.countries !== undefined
    const key = JSON.stringify(withoutNames(pattern))
    const earlier = this.#seen.get(key) ?? { rule, rules: 0, isFinal: false }
    if (earlier.isFinal) {
      this.#reportClash(rule, earlier.rule)
      return
    }
    if (earlier.rules === ruleLimits.rulesPerPath) {
      const message = `More than ${ruleLimits.rulesPerPath} rules are for ${excerpt(rule.from)}.`
      this.report(rule, 'error', message)
      return
    }
    this.#warnIfHidden(rule, pattern)
    this.#seen.set(key, { rule, rules: earlier.rules + 1, isFinal: !isConditional })
    if (!isConditional) this.#final.add({ rule, pattern, order: this.rules.length })
    if (isConditional || !isStatic(pattern)) this.#dynamic++
    this.rules.push(rule)
    this.parsed.push(parsed)
    const { dynamicRules, staticRules } = ruleLimits
    if (this.#dynamic > dynamicRules) {
      this.excess ??= `${fileOf(rule).slice(1)} has more than ${dynamicRules} rules with *, placeholders or conditions.`
    } else if (this.rules.length - this.#dynamic > staticRules) {
      this.excess ??= `${fileOf(rule).slice(1)} has more than ${staticRules} rules.`
    }
  }

  /** Build tools copy rules from one file to another. Two that say the same are no clash. */
  #reportClash(rule: RedirectRule, earlier: RedirectRule): void {
    const isElsewhere = fileOf(earlier) !== fileOf(rule)
    if (isElsewhere && earlier.to === rule.to && earlier.status === rule.status) return
    const message = `${placeOf(earlier, rule)} already answers ${excerpt(rule.from)}. Remove one of them.`
    this.report(rule, 'warning', message)
  }

  /** Within one file people see the order. Only a forced rule may look as if it came first. */
  #warnIfHidden(rule: RedirectRule, pattern: Pattern): void {
    const isOnlyFile = fileOf(this.rules[0] ?? rule) === fileOf(rule)
    if ((isOnlyFile && rule.force !== true) || this.#looks-- <= 0) return
    const hidden = this.#final
      .covering(pattern, this.#budget)
      .find((one) => fileOf(one.rule) !== fileOf(rule) || (rule.force === true && one.rule.force !== true))
    if (hidden === undefined) return
    const where = fileOf(hidden.rule) === fileOf(rule) ? 'above it' : 'there'
    const message = `${placeOf(hidden.rule, rule)} (${excerpt(hidden.rule.from)}) answers first. Move this rule ${where}, or remove one.`
    this.report(rule, 'warning', message)
  }
}

const noCountries =
  'Country is not supported: this server does not know where visitors are. Use Language instead.'
const perhapsNoCountries =
  'Country only works on a server that knows where visitors are. On others this rule is not used, and publishing says so.'

export function fileOf(rule: Pick<RedirectRule, 'file'>): string {
  return rule.file ?? redirectsFile
}

/** Where a rule is, for a message about a rule elsewhere. */
function placeOf(rule: RedirectRule, from: RedirectRule): string {
  const name = fileOf(rule).slice(1)
  if (rule.line === null) return name
  return fileOf(rule) === fileOf(from) ? `Line ${rule.line}` : `${name} line ${rule.line}`
}
