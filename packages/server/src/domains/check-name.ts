import type { DomainCheck, Finding } from '@masthead/contract/schemas/domain.ts'
import { needsChallenge } from './claims.ts'
import { isContested } from './claims-store.ts'
import { asPeopleRead } from './dns-check/as-people-read.ts'
import { type CheckContext, checkDns } from './dns-check/check-dns.ts'
import { finding } from './dns-check/findings/finding.ts'
import type { DomainRow } from './domain.ts'
import { type Hostname, readHostname } from './hostname.ts'
import { challengeName } from './records.ts'
import { findDomainOfAccount } from './store.ts'

/** A look at a name before the account adds it. Nothing is saved. */
export async function checkName(
  context: CheckContext,
  accountId: DomainRow['account_id'],
  typed: string,
): Promise<DomainCheck> {
  const name = readHostname(typed, context.naming)
  const { hostname, unicode, kind } = name
  const { check } = await checkDns(context, { hostname, kind, target: null, challenge: null })
  const findings = [...check.findings, ...(await proofAhead(context, accountId, name))]
  return { ...check, findings, hostname, unicode, kind }
}

/** Who the others are stays between them and us; that there are some is told to everybody who adds the name. */
async function proofAhead(
  { database }: CheckContext,
  account_id: DomainRow['account_id'],
  name: Hostname,
): Promise<Finding[]> {
  const { hostname, kind } = name
  const own = await findDomainOfAccount(database.read, account_id, hostname)
  const isAsked =
    own === undefined
      ? kind === 'apex' && (await isContested(database.read, { hostname, account_id }))
      : await needsChallenge(database.read, own)
  if (!isAsked) return []
  const ahead = finding('challenge_ahead', {
    message: `Another account claims ${hostname} or did before, so a TXT record has to prove that it is yours.`,
    fix: `The record to set at ${challengeName(hostname)} is shown as soon as the domain is added.`,
  })
  return [asPeopleRead(ahead, name)]
}
