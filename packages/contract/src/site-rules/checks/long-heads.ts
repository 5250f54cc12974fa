import { formatLocation } from '../findings.ts'
import { separateHeader } from '../header-names.ts'
import { type HeaderChanges, HeaderMatcher } from '../match-headers.ts'
import { MatchBudgetError } from '../matching/match-budget.ts'
import { examplePath, type Pattern, parsePattern, type Segment, withoutNames } from '../pattern.ts'
import { excerpt } from '../rule-lines.ts'
import { type HeaderRule, headersFile, ruleLimits } from '../rules.ts'
import type { Steps } from './in-steps.ts'

/** Says that all rules for some path together give an answer more headers than clients accept; null if none does. */
export function* longHeadExcess(rules: readonly HeaderRule[]): Steps<string | null> {
  if (isShort(rules.flatMap(({ set }) => set))) return null
  const matcher = new HeaderMatcher(rules)
  const seen = new Set<string>()
  for (const rule of rules) {
    const pattern = parsePattern(rule.from, rule.splat)
    if (typeof pattern === 'string') continue
    const key = JSON.stringify(withoutNames(pattern))
    if (seen.has(key)) continue
    seen.add(key)
    yield
    if (isShort(fieldsAt(pattern, matcher))) continue
    const { headersPerAnswer, headerBytesPerAnswer } = ruleLimits
    const { file = headersFile, line, from } = rule
    return `${formatLocation({ file, line })}: answers at ${excerpt(from)} would get too many headers from all rules together. The limit is ${headersPerAnswer} with ${headerBytesPerAnswer} bytes, because clients refuse more.`
  }
  return null
}

type Field = readonly [name: string, value: string]

function isShort(fields: readonly Field[]): boolean {
  let bytes = 0
  // As in HTTP/1.1.
  for (const [name, value] of fields) bytes += name.length + value.length + ': \r\n'.length
  return fields.length <= ruleLimits.headersPerAnswer && bytes <= ruleLimits.headerBytesPerAnswer
}

function fieldsAt(pattern: Pattern, matcher: HeaderMatcher): Field[] {
  try {
    const hostname = (pattern.host ?? []).map(exampleLabel).join('.')
    return fieldsOf(matcher.changesFor([examplePath(pattern)], hostname))
  } catch (error) {
    if (error instanceof MatchBudgetError) return []
    throw error
  }
}

function exampleLabel(label: Segment): string {
  return typeof label === 'string' ? label : label.literals.join('x')
}

function fieldsOf(changes: HeaderChanges | null): Field[] {
  return Array.from(changes?.set ?? []).flatMap(([key, { name, values, text }]) =>
    key === separateHeader ? values.map((value): Field => [name, value]) : [[name, text] as const],
  )
}
