import type { Reader } from '../database/database.ts'
import { proofRule, proofTerm } from './apex-proof.ts'
import type { Naming } from './context.ts'
import type { DomainRow } from './domain.ts'
import { type ProofWanted, type Sibling, targetName } from './records.ts'
import { findSiblings } from './siblings-store.ts'
import { heldRow } from './store.ts'

/** What a claim has to show in DNS beside its routing record; null for a subdomain. */
export async function proofWanted(
  db: Reader,
  row: DomainRow,
  { naming, now }: { naming: Naming; now: number },
): Promise<ProofWanted | null> {
  if (row.kind === 'subdomain') return null
  const rule = proofRule(row, await heldRow(db, row.hostname), now)
  if (rule === null) return null
  const { need, accepted } = rule
  const { challenge, proof: by } = row
  const isSearched = need !== 'given' && accepted.includes('sibling')
  const siblings = isSearched ? await siblingsOf(db, row, naming) : []
  const dueAt = need === 'asked' ? (row.proof_due_at ?? now + proofTerm) : null
  return { need, challenge, siblings, by: need === 'given' ? by : null, dueAt }
}

export async function siblingsOf(
  db: Reader,
  claim: Pick<DomainRow, 'account_id' | 'hostname'>,
  naming: Naming,
): Promise<Sibling[]> {
  const rows = await findSiblings(db, claim)
  return rows.map(({ hostname, target }) => ({ hostname, target: targetName(target, naming) }))
}
