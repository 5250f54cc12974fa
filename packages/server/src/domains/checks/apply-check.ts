import { findInstalledCertificate } from '../../certificates/read.ts'
import type { Tx } from '../../database/database.ts'
import type { EventActor } from '../../events/record-event.ts'
import { second } from '../../kernel/clock.ts'
import { loseName, voidOtherTokens } from '../claims/lose-name.ts'
import { isProvedNow, proofChange, recordProofChange } from '../claims/ownership.ts'
import { recordDomainChange } from '../config/record-changes.ts'
import type { DomainContext } from '../context.ts'
import type { DomainRow, StoredCheck } from '../domain.ts'
import { applyCertificateNeed } from '../https/certificate-need.ts'
import { parseProbe, probeRetryAt } from '../https/stored-probe.ts'
import { isLeasedBy, type Lease, noLease } from '../lease-store.ts'
import { lockHostname } from '../locks.ts'
import type { ProofRequirement } from '../records.ts'
import { nextCheckAt } from '../schedule.ts'
import { findDomainById, findHolder, isSecondHolder, updateDomain } from '../store.ts'
import { recordTransition } from '../timeline/record-transition.ts'
import { recordTimeline } from '../timeline/timeline.ts'
import { decideTransition, isServing, type TransitionDecision } from '../transitions.ts'

export interface CheckToApply {
  domain: Pick<DomainRow, 'id' | 'hostname'>
  result: StoredCheck
  /** What was looked for to prove an apex. */
  proof: ProofRequirement | null
  by: EventActor
  /** Set: the check counts only while this lease does. */
  lease: Lease | null
}

export type Applied =
  | { kind: 'applied'; row: DomainRow }
  /** It is suspended, in other hands, or was checked again meanwhile: this check changes nothing. */
  | { kind: 'dropped'; row: DomainRow }
  /** Others claimed or proved the name since DNS was asked, which makes the answer too little to go by. */
  | { kind: 'look_again' }
  | { kind: 'gone' }

/** Stores what a check found and lets the domain go where that leads, with everything that follows from it. */
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
    // The lock is there to prevent this; the index stands behind it.
    if (isSecondHolder(error)) return { kind: 'look_again' }
    throw error
  }
}

async function applyTo(
  context: DomainContext,
  tx: Tx,
  row: DomainRow,
  { result, proof: asked, by, lease }: CheckToApply,
): Promise<Applied> {
  const { check } = result
  if (row.state === 'suspended' || isNewer(lastCheckOf(row), result)) return { kind: 'dropped', row }
  const at = context.now()
  const decision = decideTransition(row, check.outcome, at)
  const holder = decision.takesName ? await findHolder(tx, row.hostname) : undefined
  const leadsOn = decision.trigger === 'dns_right' && decision.state !== row.state
  const unproved = leadsOn && !(await isProvedNow(tx, row, holder, { result, at }))
  if (unproved || (holder !== undefined && provedSince(holder, result))) return { kind: 'look_again' }
  if (holder !== undefined) await loseName(tx, holder, at)
  if (decision.takesName && row.kind === 'apex') await voidOtherTokens(tx, row)
  const changed = changeBy(row, decision, at)
  const proved = proofChange(row, { ...row, ...changed }, { result, asked, at })
  const after = await updateDomain(tx, row.id, {
    ...changed,
    ...proved,
    next_check_at: await nextCheckTime(tx, { ...row, ...changed }, check.outcome, at),
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
  }
  if (holder !== undefined) {
    await applyCertificateNeed(context, tx, { before: holder, after: { ...holder, held: 0 }, at })
  }
  await applyCertificateNeed(context, tx, { before: row, after, at })
  return { kind: 'applied', row: after }
}

function changeBy(row: DomainRow, { state, takesName }: TransitionDecision, at: number) {
  const moved = state !== row.state
  return {
    state,
    state_since: moved ? at : row.state_since,
    held: takesName ? 1 : row.held,
    verified_at: moved && state === 'verified' ? at : row.verified_at,
    searching_since: moved && state === 'pending' ? at : row.searching_since,
  }
}

/** By the schedule, or sooner where our own request is to be made again or the certificate runs out. */
async function nextCheckTime(
  tx: Tx,
  row: DomainRow,
  outcome: StoredCheck['check']['outcome'],
  at: number,
): Promise<number | null> {
  const scheduled = nextCheckAt(row, outcome, at, Math.random())
  if (scheduled === null || !isServing(row)) return scheduled
  const retryAt = probeRetryAt(parseProbe(row), at)
  const certificate = await findInstalledCertificate(tx, row.hostname)
  const endsAt = certificate !== null && certificate.notAfter > at ? certificate.notAfter : null
  return Math.min(scheduled, retryAt ?? scheduled, endsAt ?? scheduled)
}

/** A check that changed nothing left the domain as due as it was; in a moment it may lead further. */
async function releaseUnused(tx: Tx, row: DomainRow, at: number): Promise<void> {
  const next = row.next_check_at === null ? null : Math.max(row.next_check_at, at + second)
  await updateDomain(tx, row.id, { ...noLease, next_check_at: next })
}

/**
 * Whether the holder's target was in DNS later than this check saw another there. The addresses of an apex tell
 * nothing of the kind: they are the same for both.
 */
function provedSince(holder: DomainRow, result: StoredCheck): boolean {
  const last = lastCheckOf(holder)
  return holder.kind === 'subdomain' && last?.check.outcome === 'right' && isNewer(last, result)
}

function lastCheckOf({ last_check }: DomainRow): StoredCheck | null {
  return last_check === null ? null : JSON.parse(last_check)
}

function isNewer(left: StoredCheck | null, right: StoredCheck): boolean {
  return left !== null && Date.parse(left.check.at) > Date.parse(right.check.at)
}
