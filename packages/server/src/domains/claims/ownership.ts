import type { ApexProof } from '@masthead/contract/domains/proofs.ts'
import type { Reader, Tx } from '../../database/database.ts'
import { recordEvent, system } from '../../events/record-event.ts'
import { isoTime } from '../../kernel/clock.ts'
import type { Naming } from '../context.ts'
import { type DomainRow, isServing, type StoredCheck } from '../domain.ts'
import { describeHostname } from '../hostname.ts'
import { accountProving, findStartedProof } from '../proofs/account-proving.ts'
import { type Coverage, type ProofRequirement, type Sibling, targetName } from '../records.ts'
import { findHolder, findSiblings } from '../store.ts'
import { recordTimeline } from '../timeline/timeline.ts'
import { isNoticeDue, needsProof, proofRule, proofTerm } from './apex-proof.ts'

/** The proof a claim needs in addition to its routing record; null for a subdomain. */
export async function findProofRequirement(
  db: Reader,
  row: DomainRow,
  { naming, now, coverage = null }: { naming: Naming; now: number; coverage?: Coverage | null },
): Promise<ProofRequirement | null> {
  if (!needsProof(row)) return null
  const proved = { challenge: null, siblings: [], dueAt: null }
  if (coverage?.by === 'own') return { ...proved, need: 'given', by: 'account' }
  if (row.kind === 'wildcard') {
    const started = await findStartedProof(db, row.account_id, row.hostname)
    const at = started?.domain ?? describeHostname(row.hostname).registrable
    return { ...proved, need: 'required', by: null, at, challenge: started?.token ?? null }
  }
  const claim = withoutEndedProof(row, coverage)
  const rule = proofRule(claim, await findHolder(db, row.hostname), now, coverage?.by === 'other')
  if (rule === null) return null
  const { need, accepted } = rule
  const { proof: by } = claim
  // No token of a single name takes it from the account that has proved the domain.
  const isLost = coverage?.by === 'other' && !coverage.holds
  const challenge = isLost ? null : claim.challenge
  const started = await findStartedProof(db, row.account_id, row.hostname)
  const accountChallenge = started?.domain === row.hostname ? started.token : undefined
  const isSearched = need !== 'given' && accepted.includes('sibling')
  const siblings = isSearched ? await findSiblingTargets(db, row, naming) : []
  const dueAt = need === 'asked' ? (row.proof_due_at ?? now + proofTerm) : null
  return { need, challenge, accountChallenge, siblings, by: need === 'given' ? by : null, dueAt }
}

/** An apex that was proved by the account's proof of the domain is unproved once that has ended. */
export function withoutEndedProof(row: DomainRow, coverage: Coverage | null): DomainRow {
  return row.proof === 'account' && coverage?.by !== 'own' ? { ...row, proof: null } : row
}

export async function findSiblingTargets(
  db: Reader,
  claim: Pick<DomainRow, 'account_id' | 'hostname'>,
  naming: Naming,
): Promise<Sibling[]> {
  const rows = await findSiblings(db, claim)
  return rows.map(({ hostname, target }) => ({ hostname, target: targetName(target, naming) }))
}

/**
 * Whether the result of a check still proves a claim. Since DNS was observed the token may have been replaced, another
 * account may have proved the name, or the sibling may have been removed from the account.
 */
export async function isProvedNow(
  tx: Tx,
  row: DomainRow,
  holder: DomainRow | undefined,
  { result, at, coverage }: { result: StoredCheck; at: number; coverage: Coverage | null },
): Promise<boolean> {
  const claim = withoutEndedProof(row, coverage)
  const rule = proofRule(claim, holder, at, coverage?.by === 'other')
  if (rule === null || rule.need !== 'required') return true
  // Its own CNAME is in DNS, without a proxy at the moment.
  if (row.kind === 'subdomain' && result.isDirect === true) return true
  const { proof } = result
  if (proof === undefined || proof === null || !rule.accepted.includes(proof.by)) return false
  return stillProves[proof.by](tx, row, proof.what)
}

const stillProves: Record<ApexProof, (tx: Tx, row: DomainRow, what: string) => Promise<boolean>> = {
  account: async (tx, row) => (await accountProving(tx, row.hostname)) === row.account_id,
  // Its claim is served from the moment it is found, so it is never what a later check finds.
  delegation: async (_tx, row) => row.state === 'prepared' && row.held === 1,
  challenge: async (_tx, row, token) => token === row.challenge,
  sibling: async (tx, row, name) => (await findSiblings(tx, row)).some(({ hostname }) => hostname === name),
}

type ProofChange = Pick<DomainRow, 'proof' | 'proof_due_at' | 'proof_noticed_at'>

/** How a check changes the stored proof: found, or asked for since it was first missing. */
export function proofChange(
  row: DomainRow,
  after: Pick<DomainRow, 'held' | 'state'>,
  { result, asked, at }: { result: StoredCheck; asked: ProofRequirement | null; at: number },
): Partial<ProofChange> {
  if (asked === null || !isServing(after)) return {}
  const { proof = null, check } = result
  if (proof !== null) return { proof: proof.by, proof_due_at: null, proof_noticed_at: null }
  const isMissing = row.proof === null && check.findings.some(({ code }) => code === 'proof_due')
  if (!isMissing || !isNoticeDue(row, at)) return {}
  return { proof_due_at: row.proof_due_at ?? asked.dueAt, proof_noticed_at: at }
}

/** Tells the account that a proof is needed, as a reminder if it is still missing, or that it was found. */
export async function recordProofChange(tx: Tx, row: DomainRow, change: Partial<ProofChange>, at: number) {
  const { hostname, account_id: accountId, project_id: projectId } = row
  const event = { accountId, projectId, by: system, at }
  if (typeof change.proof_due_at === 'number') {
    const dueAt = isoTime(change.proof_due_at)
    await recordTimeline(tx, { domain: row, kind: 'proof_asked', at, by: system, data: { dueAt } })
    await recordEvent(tx, { ...event, type: 'domain.proof_asked', data: { hostname, dueAt } })
  } else if (typeof change.proof === 'string' && row.proof_due_at !== null) {
    await recordTimeline(tx, { domain: row, kind: 'proof_found', at, by: system, data: { by: change.proof } })
    await recordEvent(tx, { ...event, type: 'domain.proof_found', data: { hostname } })
  }
}
