import type { DomainCheck } from '@masthead/contract/schemas/domain.ts'
import { type CheckContext, checkDns } from './dns-check/check-dns.ts'
import { readHostname } from './hostname.ts'

/** A look at a name before anybody adds it. Nothing is saved. */
export async function checkName(context: CheckContext, typed: string): Promise<DomainCheck> {
  const { hostname, unicode, kind } = readHostname(typed, context.naming)
  const { check } = await checkDns(context, { hostname, target: null, challenge: null })
  return { ...check, hostname, unicode, kind }
}
