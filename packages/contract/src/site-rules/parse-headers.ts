import { RuleFindings } from './findings.ts'
import { headerNamePattern, ownedHeaders } from './header-names.ts'
import type { ParsedRules } from './parse-redirects.ts'
import { isStatic, parsePattern } from './pattern.ts'
import { excerpt, readRuleLines } from './rule-lines.ts'
import { type HeaderRule, headersFile, ruleLimits, sizeExcess } from './rules.ts'

type Draft = { line: number; from: string; unset: string[]; set: [string, string][] }

const maxName = 100

/** Reads `_headers`, in the syntax of Netlify and Cloudflare. */
export function parseHeaders(content: Uint8Array, findings = new RuleFindings()): ParsedRules<HeaderRule> {
  const rules: Draft[] = []
  /** Null before the first path, and after one that cannot be used. */
  let current: Draft | null = null
  let hasPath = false
  let dynamic = 0
  const error = (line: number, message: string) =>
    findings.add({ file: headersFile, line, level: 'error', message })
  const done = (excess: string | null) => {
    for (const { line, from, set, unset } of rules) {
      if (set.length + unset.length > 0) continue
      const message = `No headers follow ${excerpt(from)}. Indent them below it: Name: value.`
      findings.add({ file: headersFile, line, level: 'warning', message })
    }
    const used = rules.filter(({ set, unset }) => set.length + unset.length > 0)
    return { rules: used, findings: findings.list(), excess }
  }

  const excess = sizeExcess(headersFile, content.byteLength)
  if (excess !== null) return done(excess)
  for (const { number, text, fault } of readRuleLines(content, ruleLimits.headerLine)) {
    if (/^(?:\/|https?:\/\/)/i.test(text)) {
      hasPath = true
      current = null
      const pattern = fault ?? parsePattern(text)
      if (typeof pattern === 'string') {
        error(number, `${pattern} The headers below it are not used.`)
        continue
      }
      current = { line: number, from: text, unset: [], set: [] }
      rules.push(current)
      if (!isStatic(pattern)) dynamic++
      if (dynamic > ruleLimits.dynamicRules) {
        return done(`_headers has more than ${ruleLimits.dynamicRules} paths with * or placeholders.`)
      }
      continue
    }
    if (fault !== null) error(number, fault)
    else if (!hasPath) error(number, 'There is no path above this line. Start with one, such as /*.')
    else if (current !== null) {
      const problem = addLine(current, text)
      if (problem !== null) error(number, problem)
    }
  }
  return done(null)
}

/** Returns why it cannot be used. Never repeats a value, which may be a password. */
function addLine(rule: Draft, text: string): string | null {
  if (text.startsWith('!')) {
    const name = text.slice(1).trim()
    const problem = nameProblem(name)
    if (problem === null) rule.unset.push(name)
    return problem
  }
  const colon = text.indexOf(':')
  if (colon === -1) return 'This is neither a path, a header (Name: value) nor a removed one (! Name).'
  const name = text.slice(0, colon).trim()
  const value = text.slice(colon + 1).trim()
  const problem = nameProblem(name)
  if (problem !== null) return problem
  if (value === '') return `${name} has no value. To remove a header, write: ! ${name}.`
  if (/[^\t -~]/.test(value)) return `The value of ${name} has characters outside ASCII. Escape them.`
  rule.set.push([name, value])
  return null
}

function nameProblem(name: string): string | null {
  if (!headerNamePattern.test(name) || name.length > maxName) {
    return 'This is not the name of a header. A line is: Name: value.'
  }
  const owned = ownedHeaders.get(name.toLowerCase())
  return owned === undefined ? null : `${name} cannot be set. ${owned}`
}
