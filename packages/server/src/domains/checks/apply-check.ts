import { findInstalledCertificate } from '../../certificates/read.ts'
import type { Tx } from '../../database/database.ts'
import type { EventActor } from '../../events/record-event.ts'
import { minute, second } from '../../kernel/clock.ts'
import { needsProof } from '../claims/apex-proof.ts'
import { loseName, voidOtherTokens } from '../claims/lose-name.ts'
import { isProvedNow, proofChange, recordProofChange, withoutEndedProof } from '../claims/ownership.ts'
import { recordDomainChange } from '../config/record-changes.ts'
import type { DomainContext } from '../context.ts'
import { type DomainRow, isNewerCheck, isServing, lastCheckOf, type StoredCheck } from '../domain.ts'
import { applyCertificateNeed } from '../https/certificate-need.ts'
import { retryCertificate } from '../https/retry-certificate.ts'
import { parseProbe, probeRetryAt } from '../https/stored-probe.ts'
import { isLeasedBy, type Lease, noLease } from '../lease-store.ts'
import { lockHostname } from '../locks.ts'
import { findCoverage, isSameCoverage, lockProofs } from '../proofs/coverage.ts'
import type { Coverage, ProofRequirement } from '../records.ts'
import { nextCheckAt } from '../schedule.ts'
import { findDomainById, findHolder, isSecondHolder, updateDomain } from '../store.ts'
import { recordTransition } from '../timeline/record-transition.ts'
import { recordTimeline } from '../timeline/timeline.ts'
import { decideTransition, type TransitionDecision } from '../transitions.ts'

export interface CheckToApply {
  domain: Pick<DomainRow, 'id' | 'hostname'>
  result: StoredCheck
  /** The proof of an apex that the check looked for. */
  proof: ProofRequirement | null
  /** Who had proved the domain when DNS was judged. */
  coverage?: Coverage | null
  by: EventActor
  /** If set, the check is only applied while this lease holds. */
  lease: Lease | null
}

export type Applied =
  | { kind: 'applied'; row: DomainRow }
  /** It is suspended, leased by another worker, or was checked again in the meantime: nothing changes. */
  | { kind: 'dropped'; row: DomainRow }
  /** Other claims changed since DNS was observed, so the observation is no longer enough to decide. */
  | { kind: 'retry' }
  | { kind: 'gone' }

/** Stores the result of a check and applies the state change that follows, with all its consequences. */
export async function applyCheck(context: DomainContext, input: CheckToApply): Promise<Applied> {
  const { database } = context
  try {
    return await database.write(async (tx) => {
      await lockHostname(database, tx, input.domain.hostname)
      const row = await findDomainById(tx, input.domain.id)
      if (row === undefined) return { kind: 'gone' }
      if (input.lease !== null && !isLeasedBy(row, input.lease)) return { kind: 'dropped', row }
      const applied = await applyTo(context, tx, row, input)
      if (applied.kind !== 'applied' && input.lease !== null) await releaseUnused(tx, row, context.now())
      return applied
    })
  } catch (error) {
    // The lock should prevent this; the unique index is the safety net.
    if (isSecondHolder(error)) return { kind: 'retry' }
    throw error
  }
}

async function applyTo(
  context: DomainContext,
  tx: Tx,
  given: DomainRow,
  { result, proof: asked, coverage: judgedBy = null, by, lease }: CheckToApply,
): Promise<Applied> {
  const { check } = result
  const now = context.now()
  if (given.state === 'suspended' || isNewer(lastCheckOf(given), result, now))
    return { kind: 'dropped', row: given }
  // It was marked, or is no longer, since DNS was judged.
  if ((result.proxy ?? null) !== given.proxy) return { kind: 'retry' }
  const at = now
  const mayTake = check.outcome === 'right' || result.delegation === 'delegated'
  if (mayTake) await lockProofs(context.database, tx, given.hostname)
  const coverage = await findCoverage(tx, given)
  const row = withoutEndedProof(given, coverage)
  const decision = await decide(tx, row, { result, at, coverage })
  const holder = decision.takesName ? await findHolder(tx, row.hostname) : undefined
  const advances = decision.trigger === 'dns_right' && decision.state !== row.state
  const isOutdated = (advances || decision.takesName) && !isSameCoverage(coverage, judgedBy)
  const unproved = advances && !(await isProvedNow(tx, row, holder, { result, at, coverage }))
  if (isOutdated || unproved || (holder !== undefined && provedSince(holder, result, at)))
    return { kind: 'retry' }
  if (decision.losesName) return { kind: 'applied', row: await giveUpName(context, tx, row, at) }
  if (holder !== undefined) await loseName(tx, holder, at)
  if (decision.takesName) await voidOtherTokens(tx, row)
  const changed = changeBy(row, decision, at)
  const proved = proofChange(row, { ...row, ...changed }, { result, asked, at })
  const after = await updateDomain(tx, row.id, {
    ...changed,
    ...proved,
    next_check_at: await nextCheckTime(tx, { ...row, ...changed }, { outcome: check.outcome, coverage, at }),
    last_check: JSON.stringify(result),
    ...(lease === null ? {} : noLease),
  })
  if (after === undefined) return { kind: 'gone' }
  await recordTimeline(tx, { domain: row, kind: 'checked', at, by, check })
  await recordTransition(tx, row.state, after, { by, at })
  await recordProofChange(tx, row, proved, at)
  if (holder !== undefined && isServing(holder))
    await recordDomainChange(context, tx, holder, { stopped: true })
  if (isServing(row) !== isServing(after)) {
    await recordDomainChange(context, tx, after, { stopped: isServing(row) })
  } else if ((row.state === 'drifted') !== (after.state === 'drifted')) {
    // Passes of members are no longer accepted there, or are again.
    await recordDomainChange(context, tx, after)
  }
  if (holder !== undefined) {
    await applyCertificateNeed(context, tx, { before: holder, after: { ...holder, held: 0 }, at })
  }
  await applyCertificateNeed(context, tx, { before: row, after, at })
  const checked = { before: lastCheckOf(given), after: result, by, isAsked: lease === null, at }
  await retryCertificate(context, tx, after, checked)
  return { kind: 'applied', row: after }
}

/** The account no longer proves the name, which is under a domain that another account has proved. */
async function giveUpName(context: DomainContext, tx: Tx, row: DomainRow, at: number): Promise<DomainRow> {
  await loseName(tx, row, at)
  const after = (await updateDomain(tx, row.id, noLease)) ?? row
  if (isServing(row)) await recordDomainChange(context, tx, row, { stopped: true })
  await applyCertificateNeed(context, tx, { before: row, after, at })
  return after
}

/**
 * The record is the claim's own, but it takes a name neither from a holder that is served nor from an account that has
 * proved it.
 */
async function decide(
  tx: Tx,
  row: DomainRow,
  { result, at, coverage }: { result: StoredCheck; at: number; coverage: Coverage | null },
): Promise<TransitionDecision> {
  const { outcome } = result.check
  const isProvedElsewhere = coverage?.by === 'other'
  const decision = decideTransition(row, outcome, at, isProvedElsewhere, result.delegation)
  if (decision.trigger !== 'delegated') return decision
  const holder = await findHolder(tx, row.hostname)
  const isFree = holder === undefined || holder.id === row.id || !isServing(holder)
  // The delegation of a wildcard prepares it, but proves nothing.
  const isProvable = row.kind !== 'wildcard' || coverage?.by === 'own'
  return isFree && isProvable && !isProvedElsewhere
    ? decision
    : decideTransition(row, outcome, at, isProvedElsewhere)
}

function changeBy(row: DomainRow, { state, takesName }: TransitionDecision, at: number) {
  const moved = state !== row.state
  return {
    state,
    state_since: moved ? at : row.state_since,
    held: takesName ? 1 : row.held,
    verified_at: moved && state === 'verified' ? at : row.verified_at,
    searching_since: moved && state === 'pending' ? at : row.searching_since,
    // Once DNS is right, only a new test request makes it live.
    probe: row.state === 'prepared' && moved ? null : row.probe,
    ...(state === 'prepared' &&
      moved &&
      row.kind !== 'wildcard' &&
      needsProof(row) && { proof: 'delegation' as const }),
  }
}

type CheckOutcome = StoredCheck['check']['outcome']

/** While another account has proved the domain: it gets the name once its record here is gone. */
const watchedEvery = 10 * minute

/** By the schedule, or sooner: our test request is due again, the certificate expires, or another account is waiting. */
async function nextCheckTime(
  tx: Tx,
  row: DomainRow,
  { outcome, coverage, at }: { outcome: CheckOutcome; coverage: Coverage | null; at: number },
): Promise<number | null> {
  const scheduled = nextCheckAt(row, outcome, at, Math.random())
  if (scheduled === null || !isServing(row)) return scheduled
  const retryAt = probeRetryAt(parseProbe(row), at)
  const certificate = await findInstalledCertificate(tx, row.hostname)
  const endsAt = certificate !== null && certificate.notAfter > at ? certificate.notAfter : null
  const watchAt = coverage?.by === 'other' ? at + watchedEvery : null
  return Math.min(scheduled, retryAt ?? scheduled, endsAt ?? scheduled, watchAt ?? scheduled)
}

/** Nothing was applied, so the domain is still due: check it again in a moment. */
async function releaseUnused(tx: Tx, row: DomainRow, at: number): Promise<void> {
  const next = row.next_check_at === null ? null : Math.max(row.next_check_at, at + second)
  await updateDomain(tx, row.id, { ...noLease, next_check_at: next })
}

/**
 * Whether the holder's target was seen in DNS after this check saw another one. Says nothing about an apex, whose
 * addresses are the same for every account.
 */
function provedSince(holder: DomainRow, result: StoredCheck, now: number): boolean {
  const last = lastCheckOf(holder)
  return holder.kind === 'subdomain' && last?.check.outcome === 'right' && isNewer(last, result, now)
}

function isNewer(last: StoredCheck | null, result: StoredCheck, now: number): boolean {
  return last !== null && isNewerCheck(last.check, result.check, now)
}
