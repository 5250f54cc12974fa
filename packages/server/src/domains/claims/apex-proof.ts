import { type ApexProof, apexProofNames, apexProofs, proofKinds } from '@masthead/contract/domains/proofs.ts'
import { day } from '../../kernel/clock.ts'
import { type DomainRow, isServing } from '../domain.ts'
import type { ProofNeed } from '../records.ts'

export interface ProofRule {
  need: ProofNeed
  /** The proofs that are enough to take the name from its current holder. */
  accepted: readonly ApexProof[]
}

type ProvableClaim = Pick<DomainRow, 'id' | 'kind' | 'held' | 'state' | 'proof' | 'proof_due_at' | 'proxy'>

/** A wildcard is for every name of a zone, so only the account that has proved the domain can have it. */
const wildcardRule: ProofRule = { need: 'required', accepted: ['account'] }

/** How long an account has to prove an apex that is already served. */
export const proofTerm = 30 * day

/**
 * What proof a claim needs; null for a subdomain without a proxy, whose CNAME target is unique to the account. Because names get sold,
 * an apex needs a proof that is in DNS at the moment it becomes served. One that is already served stays so: otherwise
 * anyone could take a site down with a claim, which costs nothing. Only another account's proof of the domain, which
 * takes the owner of its DNS, makes its own proof necessary again.
 */
export function proofRule(
  row: ProvableClaim,
  holder: ProvableClaim | undefined,
  now: number,
  isProvedElsewhere = false,
): ProofRule | null {
  if (!needsProof(row)) return null
  if (row.kind === 'wildcard') return wildcardRule
  if (isServing(row) && !isProvedElsewhere && !mustProveToRecover(row, now)) {
    if (row.proof !== null) return { need: 'given', accepted: apexProofNames }
    // Behind a proxy nothing shows any more what proved it.
    if (row.proxy === null) return { need: 'asked', accepted: apexProofNames }
  }
  const isRival = holder !== undefined && holder.id !== row.id
  const isProved = isRival && isServing(holder) && holder.proof !== null
  return {
    need: 'required',
    accepted: apexProofNames
      .filter((proof) => !isProved || apexProofs[proof].takesProved)
      .filter((proof) => row.proxy === null || proofKinds[proof].proves.some((what) => what === 'proxied')),
  }
}

/** Whether a claim needs more than its CNAME record: that shows nothing at an apex, and nothing behind a proxy. */
export function needsProof({ kind, proxy }: Pick<DomainRow, 'kind' | 'proxy'>): boolean {
  return kind !== 'subdomain' || proxy !== null
}

/** After the deadline, an unproved apex no longer recovers from wrong DNS by its addresses alone. */
function mustProveToRecover({ state, proof, proof_due_at }: ProvableClaim, now: number): boolean {
  return state === 'drifted' && proof === null && proof_due_at !== null && now >= proof_due_at
}

/** Before the deadline, at it, and then every 30 days. */
const noticesBefore = [proofTerm, 7 * day, day, 0]

/** Whether to remind the account that the proof is missing. */
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
