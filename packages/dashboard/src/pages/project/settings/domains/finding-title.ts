import { findings } from '@masthead/contract/findings.ts'
import type { Finding } from '@masthead/contract/schemas/domain.ts'

/** A finding in a few words; a newer server may find what this page has no words for. */
export function findingTitle({ code, message }: Pick<Finding, 'code' | 'message'>): string {
  return Object.hasOwn(findings, code) ? `${findings[code].title}.` : message
}
