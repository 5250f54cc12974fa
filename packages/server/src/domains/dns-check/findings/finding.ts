import { type FindingCode, findings } from '@masthead/contract/findings.ts'
import type { Finding } from '@masthead/contract/schemas/domain.ts'

export function finding(code: FindingCode, words: Omit<Finding, 'code' | 'effect'>): Finding {
  return { code, effect: findings[code].effect, ...words }
}
