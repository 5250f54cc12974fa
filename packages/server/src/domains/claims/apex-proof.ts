import { type ApexProof, apexProofNames, apexProofs } from '@masthead/contract/domains/states.ts'
import { day } from '../../kernel/clock.ts'
import type { DomainRow } from '../domain.ts'
import type { ProofNeed } from '../records.ts'
import { isServing } from '../transitions.ts'

export interface ProofRule {
  need: ProofNeed
  /** The proofs that count against whoever holds the name. */
  accepted: readonly ApexProof[]
}

type ProvableClaim = Pick<DomainRow, 'id' | 'kind' | 'held' | 'state' | 'proof' | 'proof_due_at'>

/** How long the account of an apex that is served without a proof is asked for one. */
export const proofTerm = 30 * day

/**
 * What a claim needs; null for a subdomain, whose CNAME leads to a target that is nobody else's. To become served an
 * apex needs a proof that is in DNS at that moment, since names are sold. Whoever is served stays so, or a claim, which
 * costs nothing, could take a site down.
 */
export function proofRule(
  row: ProvableClaim,
  holder: ProvableClaim | undefined,
  now: number,
): ProofRule | null {
  if (row.kind === 'subdomain') return null
  if (isServing(row) && !mustProveToRecover(row, now)) {
    return { need: row.proof === null ? 'asked' : 'given', accepted: apexProofNames }
  }
  const isRival = holder !== undefined && holder.id !== row.id
  const isProved = isRival && isServing(holder) && holder.proof !== null
  return {
    need: 'required',
    accepted: apexProofNames.filter((proof) => !isProved || apexProofs[proof].takesProved),
  }
}

/** Once the term is over, an apex that nobody proved no longer comes back from wrong DNS by its addresses alone. */
function mustProveToRecover({ state, proof, proof_due_at }: ProvableClaim, now: number): boolean {
  return state === 'drifted' && proof === null && proof_due_at !== null && now >= proof_due_at
}

/** Before the end of the term, at it, and from then on every 30 days. */
const noticesBefore = [proofTerm, 7 * day, day, 0]

/** Whether the account is to be told again that the proof is missing. */
export function isNoticeDue(
  { proof_due_at, proof_noticed_at }: Pick<DomainRow, 'proof_due_at' | 'proof_noticed_at'>,
  now: number,
): boolean {
  if (proof_due_at === null || proof_noticed_at === null) return true
  const times = noticesBefore.map((before) => proof_due_at - before)
  const last = times.findLast((time) => time <= now) ?? proof_due_at
  const latest = now < proof_due_at ? last : now - ((now - proof_due_at) % proofTerm)
  return proof_noticed_at < latest
}
