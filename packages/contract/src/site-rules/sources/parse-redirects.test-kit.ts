import { runSteps } from '../checks/in-steps.ts'
import { type RuleFinding, RuleFindings } from '../findings.ts'
import { type CountrySupport, RedirectList } from '../redirect-list.ts'
import type { RedirectRule } from '../rules.ts'
import { readRedirects } from './parse-redirects.ts'

export interface ParsedRules<Rule> {
  rules: Rule[]
  findings: RuleFinding[]
  /** Set if a limit is exceeded. None of the rules should be used then. */
  excess: string | null
}

/** Reads `_redirects` alone, without the other files of a site. */
export function parseRedirects(
  content: Uint8Array,
  countries: CountrySupport = 'none',
): ParsedRules<RedirectRule> {
  const findings = new RuleFindings()
  const list = new RedirectList(findings, countries)
  runSteps(readRedirects(content, list))
  return { rules: list.rules, findings: findings.list(), excess: list.excess }
}
