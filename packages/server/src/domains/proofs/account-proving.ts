import type { Id } from '@masthead/contract/schemas/fields.ts'
import type { Reader } from '../../database/database.ts'
import { normalizeName, parentName, withoutWildcard } from '../../dns/domain-name.ts'
import { lastProofCheck } from './proof.ts'
import { findMostSpecific, type ProofRow, startedProofs } from './store.ts'

/**
 * The account that owns the name by its proof of the domain; null if no account has proved it or a domain above it. The
 * most specific proved domain counts, because only a zone with its own nameservers can be proved below another one.
 * Accepts a wildcard too: `*.acme.com` belongs to who has proved `acme.com`.
 */
export async function accountProving(db: Reader, name: string): Promise<Id<'account'> | null> {
  return (await provedZone(db, name))?.account ?? null
}

export interface ProvedZone {
  account: Id<'account'>
  /** The proved domain. */
  domain: string
}

/**
 * The proof that would give the name to the account, whatever its state. One of a name that turned out to be part of a
 * zone never will.
 */
export async function findStartedProof(
  db: Reader,
  accountId: Id<'account'>,
  name: string,
): Promise<ProofRow | undefined> {
  const started = await startedProofs(db, accountId, nameAndParents(withoutWildcard(name)))
  return started.find((row) => !isPartOfZone(row))
}

function isPartOfZone(row: ProofRow): boolean {
  return lastProofCheck(row)?.findings.some(({ code }) => code === 'zone_not_delegated') ?? false
}

export async function provedZone(db: Reader, name: string): Promise<ProvedZone | null> {
  const found = await findMostSpecific(db, nameAndParents(withoutWildcard(name)))
  return found === undefined ? null : { account: found.account_id, domain: found.domain }
}

/** A proof of a single label is impossible, so the top-level domain is left out. */
function nameAndParents(name: string): string[] {
  const names: string[] = []
  for (let at: string | null = normalizeName(name); at !== null && at !== ''; at = parentName(at)) {
    if (at.includes('.')) names.push(at)
  }
  return names.length === 0 ? [''] : names
}
