import type { RuleFindings } from './findings.ts'
import { headerNamePattern, ownedHeaders } from './header-names.ts'
import { isStatic, parsePattern } from './pattern.ts'
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
  const owned = ownedHeaders.get(name.toLowerCase())
  return owned === undefined ? null : `${name} cannot be set. ${owned}`
}

/** The header rules of a site, from every file that has some. They add up. */
export class HeaderList {
  readonly rules: HeaderRule[] = []
  excess: string | null = null
  readonly #findings: RuleFindings
  /** Which file set a header of a path, by both. */
  readonly #setBy = new Map<string, { file: string; value: string }>()
  #dynamic = 0
  #bytes = 0

  constructor(findings: RuleFindings) {
    this.#findings = findings
  }

  /** Expects a path, names and values that can be used. */
  add(rule: HeaderRule): void {
    const pattern = parsePattern(rule.from)
    if (typeof pattern === 'string') return
    this.rules.push(rule)
    if (!isStatic(pattern)) this.#dynamic++
    if (this.#dynamic > ruleLimits.dynamicRules) {
      this.excess ??= `${fileOf(rule).slice(1)} has more than ${ruleLimits.dynamicRules} paths with * or placeholders.`
    }
    for (const [name, value] of rule.set) {
      this.#bytes += name.length + value.length
      this.#warnOfClash(rule, name, value)
    }
    for (const name of rule.unset) this.#bytes += name.length
    this.#bytes += rule.from.length
    if (this.#bytes > ruleLimits.headersBytes) {
      this.excess ??= `The headers of all files have more than ${ruleLimits.headersBytes} bytes together.`
    }
  }

  #warnOfClash(rule: HeaderRule, name: string, value: string): void {
    const key = JSON.stringify([rule.from, name.toLowerCase()])
    const earlier = this.#setBy.get(key)
    const file = fileOf(rule)
    if (earlier === undefined) this.#setBy.set(key, { file, value })
    if (earlier === undefined || earlier.file === file) return
    const message = `${earlier.file.slice(1)} also sets ${name} for ${JSON.stringify(rule.from)}. Visitors get both values: remove one.`
    this.#findings.add({ file, line: rule.line, level: 'warning', message })
  }
}

function fileOf(rule: Pick<HeaderRule, 'file'>): string {
  return rule.file ?? headersFile
}
