import { runSteps } from '../checks/in-steps.ts'
import { RuleFindings } from '../findings.ts'
import { HeaderList } from '../header-list.ts'
import type { HeaderRule } from '../rules.ts'
import { readHeaders } from './parse-headers.ts'
import type { ParsedRules } from './parse-redirects.test-kit.ts'
import { ProtectionList } from './protection-list.ts'

/** Reads `_headers` alone, without the other files of a site. */
export function parseHeaders(content: Uint8Array): ParsedRules<HeaderRule> {
  const findings = new RuleFindings()
  const list = new HeaderList(findings)
  runSteps(readHeaders(content, list, new ProtectionList(), findings))
  return { rules: list.rules, findings: findings.list(), excess: list.excess }
}
