import { sharedCookiesProblem } from './checks/shared-cookies.ts'
import type { RuleFindings } from './findings.ts'
import { hasOneValue, headerNamePattern, ownedBecause } from './header-names.ts'
import { MatchBudget, workPerCheck } from './matching/match-budget.ts'
import { isStatic, type Pattern, parsePattern } from './pattern.ts'
import { PatternIndex } from './pattern-index.ts'
import { type HeaderRule, headersFile, ruleLimits } from './rules.ts'

const maxName = 100

/** Why a rule cannot set a header to a value. Never repeats a value, which may be a password. */
export function headerProblem(name: string, value: string): string | null {
  const problem = headerNameProblem(name)
  if (problem !== null) return problem
  if (value === '') return `${name} has no value. To remove a header, write: ! ${name}.`
  if (/[^\t -~]/.test(value)) return `The value of ${name} has characters outside ASCII. Escape them.`
  return null
}

export function headerNameProblem(name: string): string | null {
  if (!headerNamePattern.test(name) || name.length > maxName) {
    return 'This is not the name of a header. A line is: Name: value.'
  }
  const owned = ownedBecause(name)
  return owned === null ? null : `${name} cannot be set. ${owned}`
}

interface Earlier {
  readonly rule: HeaderRule
  readonly pattern: Pattern
  readonly order: number
}

/** The header rules of a site, from every file that has some. All that match a path apply. */
export class HeaderList {
  readonly rules: HeaderRule[] = []
  excess: string | null = null
  readonly #findings: RuleFindings
  readonly #platformDomain: string | null
  /** Those that set a header with one value, which rules of later files do not replace. */
  readonly #final = new PatternIndex<Earlier>()
  /** The first rule that sets a header for a path, by both. */
  readonly #setBy = new Map<string, { rule: HeaderRule; value: string }>()
  /** Of looking for a rule that comes before another, so that the work stays small. */
  #looks = 1_000
  readonly #budget = new MatchBudget(workPerCheck)
  #dynamic = 0
  #bytes = 0

  constructor(findings: RuleFindings, platformDomain: string | null = null) {
    this.#findings = findings
    this.#platformDomain = platformDomain
  }

  /** Expects a path, names and values that can be used. */
  add(rule: HeaderRule): void {
    const pattern = parsePattern(rule.from, rule.splat)
    if (typeof pattern === 'string') return
    this.#bytes += bytesOf(rule)
    if (this.#bytes > ruleLimits.headersBytes) {
      this.excess ??= `The headers of all files have more than ${ruleLimits.headersBytes} bytes together.`
      // Comparing this many would take seconds, and none are used.
      return
    }
    this.rules.push(rule)
    if (!isStatic(pattern)) this.#dynamic++
    if (this.#dynamic > ruleLimits.dynamicRules) {
      this.excess ??= `${fileOf(rule).slice(1)} has more than ${ruleLimits.dynamicRules} paths with * or placeholders.`
    }
    const text = JSON.stringify(pattern)
    for (const [name, value] of rule.set) {
      this.#warnOfClash(rule, { pattern, text }, name, value)
      this.#warnOfSharedCookies(rule, name, value)
    }
    if (rule.set.some(([name]) => hasOneValue(name.toLowerCase()))) {
      this.#final.add({ rule, pattern, order: this.rules.length })
    }
  }

  #warnOfSharedCookies(rule: HeaderRule, name: string, value: string): void {
    const message = sharedCookiesProblem(name, value, this.#platformDomain)
    if (message === null) return
    this.#findings.add({ file: fileOf(rule), line: rule.line, level: 'warning', message })
  }

  /** Within one file people see the order. */
  #warnOfClash(
    rule: HeaderRule,
    { pattern, text }: { pattern: Pattern; text: string },
    name: string,
    value: string,
  ): void {
    const key = `${name.toLowerCase()} ${text}`
    const same = this.#setBy.get(key)
    if (same === undefined) this.#setBy.set(key, { rule, value })
    const isSingle = hasOneValue(name.toLowerCase())
    const earlier = same ?? (isSingle ? this.#covering(rule, pattern, name) : undefined)
    if (earlier === undefined || fileOf(earlier.rule) === fileOf(rule) || earlier.value === value) return
    const { file = headersFile, from } = earlier.rule
    const message = isSingle
      ? `${file.slice(1)} sets ${name} for ${JSON.stringify(from)}, which applies. Remove one of them.`
      : `${file.slice(1)} also sets ${name} for ${JSON.stringify(from)}. Visitors get both values: remove one.`
    this.#findings.add({ file: fileOf(rule), line: rule.line, level: 'warning', message })
  }

  /** A rule of an earlier file that sets a header wherever this one does. */
  #covering(
    rule: HeaderRule,
    pattern: Pattern,
    name: string,
  ): { rule: HeaderRule; value: string } | undefined {
    if (fileOf(this.rules[0] ?? rule) === fileOf(rule) || this.#looks-- <= 0) return undefined
    for (const { rule: earlier } of this.#final.covering(pattern, this.#budget)) {
      const set = earlier.set.find(([one]) => one.toLowerCase() === name.toLowerCase())
      if (set !== undefined && fileOf(earlier) !== fileOf(rule)) return { rule: earlier, value: set[1] }
    }
    return undefined
  }
}

function bytesOf({ from, set, unset }: HeaderRule): number {
  let bytes = from.length
  for (const [name, value] of set) bytes += name.length + value.length
  for (const name of unset) bytes += name.length
  return bytes
}

function fileOf(rule: Pick<HeaderRule, 'file'>): string {
  return rule.file ?? headersFile
}
