import { domainToUnicode } from 'node:url'
import { type FindingCode, findings } from '@masthead/contract/domains/findings.ts'
import type { Finding } from '@masthead/contract/schemas/domains/dns-check.ts'
import type { Wanted } from '../../records.ts'

export function finding(code: FindingCode, words: Omit<Finding, 'code' | 'effect'>): Finding {
  return { code, effect: findings[code].effect, ...words }
}

/**
 * Messages show the domain in Unicode. Fixes keep the ASCII form, which DNS providers expect. Other names are never
 * decoded, because they could be made to look like something else.
 */
export function withUnicodeName(
  finding: Finding,
  { hostname, registrable }: Pick<Wanted, 'hostname' | 'registrable'>,
): Finding {
  const message = [hostname, registrable].reduce(
    (text, name) => text.replaceAll(name, domainToUnicode(name)),
    finding.message,
  )
  return { ...finding, message }
}
