import { domainToUnicode } from 'node:url'
import { type FindingCode, findings } from '@masthead/contract/domains/findings.ts'
import type { Finding } from '@masthead/contract/schemas/domain.ts'
import type { Wanted } from '../../records.ts'

export function finding(code: FindingCode, words: Omit<Finding, 'code' | 'effect'>): Finding {
  return { code, effect: findings[code].effect, ...words }
}

/**
 * What is so is told with the domain's own name as people read it; what to do keeps the ASCII form, which is what DNS
 * providers take. Names of others are never decoded: they may be made to look like another.
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
