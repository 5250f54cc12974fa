import { type RuleFinding, RuleFindings } from './findings.ts'
import { isStatic, namesIn, type Pattern, parsePattern } from './pattern.ts'
import { excerpt, readRuleLines } from './rule-lines.ts'
import { type RedirectRule, redirectsFile, ruleLimits, ruleStatuses, sizeExcess } from './rules.ts'
import { parseFileTarget, parseRedirectTarget, unknownNames } from './target.ts'

export interface ParsedRules<Rule> {
  rules: Rule[]
  findings: RuleFinding[]
  /** Set if a limit is exceeded. None of the rules should be used then. */
  excess: string | null
}

/** Reads `_redirects`, in the syntax of Netlify and Cloudflare. */
export function parseRedirects(
  content: Uint8Array,
  findings = new RuleFindings(),
): ParsedRules<RedirectRule> {
  const rules: RedirectRule[] = []
  const seen = new Map<string, { line: number; rules: number; isFinal: boolean }>()
  let dynamic = 0
  const report = (line: number, level: RuleFinding['level'], message: string) =>
    findings.add({ file: redirectsFile, line, level, message })
  const done = (excess: string | null) => ({ rules, findings: findings.list(), excess })

  const excess = sizeExcess(redirectsFile, content.byteLength)
  if (excess !== null) return done(excess)
  for (const { number, text, fault } of readRuleLines(content, ruleLimits.redirectLine)) {
    const parsed = fault ?? parseLine(text, number)
    if (typeof parsed === 'string') {
      report(number, 'error', parsed)
      continue
    }
    const { rule, pattern, warnings } = parsed
    for (const warning of warnings) report(number, 'warning', warning)
    const isConditional = rule.query !== undefined || rule.languages !== undefined
    const key = JSON.stringify([pattern, rule.force])
    const earlier = seen.get(key) ?? { line: number, rules: 0, isFinal: false }
    if (earlier.isFinal) {
      report(
        number,
        'warning',
        `Line ${earlier.line} already answers ${excerpt(rule.from)}. Remove one of them.`,
      )
      continue
    }
    if (earlier.rules === ruleLimits.rulesPerPath) {
      report(number, 'error', `More than ${ruleLimits.rulesPerPath} rules are for ${excerpt(rule.from)}.`)
      continue
    }
    seen.set(key, { line: number, rules: earlier.rules + 1, isFinal: !isConditional })
    if (isConditional || !isStatic(pattern)) dynamic++
    rules.push(rule)
    const { dynamicRules, staticRules } = ruleLimits
    if (dynamic > dynamicRules) {
      return done(`_redirects has more than ${dynamicRules} rules with *, placeholders or conditions.`)
    }
    if (rules.length - dynamic > staticRules) return done(`_redirects has more than ${staticRules} rules.`)
  }
  return done(null)
}

interface ParsedLine {
  rule: RedirectRule
  pattern: Pattern
  warnings: string[]
}

/** Returns why it cannot be used. */
function parseLine(text: string, line: number): ParsedLine | string {
  const words = text.split(/\s+/)
  const comment = words.findIndex((word) => word.startsWith('#'))
  const [from = '', ...rest] = comment === -1 ? words : words.slice(0, comment)
  const at = rest.findIndex((word) => word.startsWith('/') || /^https?:\/\//i.test(word))
  if (at === -1) return `There is no target. A line is: /from /to 301. The target starts with / or https://.`
  const pattern = parsePattern(from)
  if (typeof pattern === 'string') return pattern
  const query = parseQuery(rest.slice(0, at))
  if (typeof query === 'string') return query
  const to = rest[at] ?? ''
  const options = parseOptions(rest.slice(at + 1))
  if (typeof options === 'string') return options
  const rule: RedirectRule = {
    line,
    from,
    ...(query.length > 0 && { query }),
    ...options.conditions,
    to,
    ...options.status,
  }

  const isFile = rule.status === 200 || rule.status === 404
  const target = isFile ? parseFileTarget(to) : parseRedirectTarget(to)
  if (typeof target === 'string') return target
  const known = new Set([...namesIn(pattern), ...query.flatMap(([, value]) => capturedName(value) ?? [])])
  const templates = 'query' in target ? [target.path, target.query ?? '', target.fragment] : [target.path]
  const unknown = templates.flatMap((template) => unknownNames(template, known))
  const warnings = unknown.map(
    (name) => `The target has :${name}, which the source does not. It stays as text.`,
  )
  return { rule, pattern, warnings }
}

/** The name in `:name`. */
export function capturedName(value: string): string | null {
  return /^:([A-Za-z]\w*)$/.exec(value)?.[1] ?? null
}

function parseQuery(words: readonly string[]): [string, string][] | string {
  const query: [string, string][] = []
  for (const word of words) {
    const [name = '', ...value] = word.split('=')
    if (name === '' || value.length === 0) {
      return `${excerpt(word)} is neither a target nor a condition on the query, such as name=value.`
    }
    query.push([name, value.join('=')])
  }
  return query
}

type Options = {
  status: Pick<RedirectRule, 'status' | 'force'>
  conditions: Pick<RedirectRule, 'languages'>
}

const status = /^(\d{3})(!)?$/

/** What follows the target: a status, then conditions. */
function parseOptions(words: readonly string[]): Options | string {
  const [first = ''] = words
  const given = status.exec(first)
  const code = ruleStatuses.find((one) => one === Number(given?.[1] ?? 301))
  if (code === undefined) return `The status ${first} is not supported. Use ${ruleStatuses.join(', ')}.`
  const options: Options = {
    status: { status: code, ...(given?.[2] !== undefined && { force: true }) },
    conditions: {},
  }
  for (const word of given === null ? words : words.slice(1)) {
    const [name = '', value = ''] = word.split('=')
    switch (name.toLowerCase()) {
      case 'language': {
        const languages = value
          .toLowerCase()
          .split(',')
          .filter((one) => /^[a-z0-9-]{1,35}$/.test(one))
        if (languages.length === 0) return 'Language needs a value, such as Language=de,fr.'
        options.conditions = { languages }
        break
      }
      case 'country':
        return 'Country is not supported: this server does not know where visitors are. Use Language instead.'
      case 'role':
      case 'cookie':
        return `${name} is not supported. Without it the rule would apply to everybody, so it is not used.`
      default:
        return `${excerpt(word)} is not understood. After the target come a status and Language=….`
    }
  }
  return options
}
