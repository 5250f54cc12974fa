import type { Id } from '@masthead/contract/ids.ts'
import type { DomainCheck } from '@masthead/contract/schemas/domain.ts'
import { type CheckContext, checkDns } from './dns-check/check-dns.ts'
import { type Hostname, readHostname } from './hostname.ts'
import { proofWanted, siblingsOf } from './proof-wanted.ts'
import type { ProofWanted } from './records.ts'
import { findDomainOfAccount } from './store.ts'

/** A look at a name before the account adds it. Nothing is saved. */
export async function checkName(
  context: CheckContext,
  accountId: Id<'account'>,
  typed: string,
): Promise<DomainCheck> {
  const name = readHostname(typed, context.naming)
  const { hostname, unicode, kind } = name
  const proof = await proofAhead(context, accountId, name)
  const { check } = await checkDns(context, { hostname, kind, target: null, proof })
  return { ...check, hostname, unicode, kind }
}

/** What this account would have to show. Nothing where it has proved the name already. */
async function proofAhead(
  { database, naming, now }: CheckContext,
  account_id: Id<'account'>,
  { hostname, kind }: Hostname,
): Promise<ProofWanted | null> {
  if (kind === 'subdomain') return null
  const own = await findDomainOfAccount(database.read, account_id, hostname)
  const wanted = own === undefined ? null : await proofWanted(database.read, own, { naming, now: now() })
  if (wanted?.need === 'given') return null
  const siblings = wanted?.siblings ?? (await siblingsOf(database.read, { account_id, hostname }, naming))
  return { need: 'required', challenge: null, siblings, by: null, dueAt: null }
}
