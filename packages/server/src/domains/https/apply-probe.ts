import { nextDomainState } from '@masthead/contract/domains/states.ts'
import type { Tx } from '../../database/database.ts'
import { system } from '../../events/record-event.ts'
import { recordDomainChange } from '../config/record-changes.ts'
import type { DomainContext } from '../context.ts'
import { type DomainRow, isServing } from '../domain.ts'
import { lockHostname } from '../locks.ts'
import { nextCheckAt } from '../schedule.ts'
import { findDomainById, updateDomain } from '../store.ts'
import { recordTransition } from '../timeline/record-transition.ts'
import { recordTimeline } from '../timeline/timeline.ts'
import { type ProbeEvidence, parseProbe, probeRetryAt, withAnswer, withFailure } from './stored-probe.ts'

export type ProbeResult =
  | { kind: 'answered'; evidence: ProbeEvidence }
  | { kind: 'unanswered'; serial: string; via: ProbeEvidence['via']; why: string }

/** Stores the result of our test request. The first success makes a verified domain live. */
export function applyProbe(
  context: DomainContext,
  { id, hostname }: Pick<DomainRow, 'id' | 'hostname'>,
  result: ProbeResult,
): Promise<void> {
  const { database } = context
  return database.write(async (tx) => {
    await lockHostname(database, tx, hostname)
    const row = await findDomainById(tx, id)
    // It may have been removed, lost or suspended during the request.
    if (row === undefined || !isServing(row)) return
    await (result.kind === 'answered'
      ? recordAnswer(context, tx, row, result.evidence)
      : recordFailure(context, tx, row, result))
  })
}

async function recordAnswer(
  context: DomainContext,
  tx: Tx,
  row: DomainRow,
  evidence: ProbeEvidence,
): Promise<void> {
  const at = context.now()
  const probe = JSON.stringify(withAnswer(parseProbe(row), evidence))
  const state = evidence.via === 'edge' ? nextDomainState(row.state, 'went_live') : row.state
  if (state === row.state) {
    await updateDomain(tx, row.id, { probe })
    await recordTimeline(tx, { domain: row, kind: 'probed', at, by: system, data: { evidence } })
    return
  }
  const moved = { state, state_since: at, live_at: at }
  const next_check_at = nextCheckAt({ ...row, ...moved }, 'right', at, Math.random())
  await updateDomain(tx, row.id, { ...moved, probe, next_check_at })
  await recordTransition(tx, row.state, { ...row, state }, { by: system, at, data: { evidence } })
  await recordDomainChange(context, tx, row)
}

async function recordFailure(
  { now }: DomainContext,
  tx: Tx,
  row: DomainRow,
  { serial, via, why }: Extract<ProbeResult, { kind: 'unanswered' }>,
): Promise<void> {
  const at = now()
  const stored = withFailure(parseProbe(row), { via, serial }, at)
  const retryAt = probeRetryAt(stored, at)
  await updateDomain(tx, row.id, {
    probe: JSON.stringify(stored),
    ...(retryAt !== null && { next_check_at: Math.min(row.next_check_at ?? retryAt, retryAt) }),
  })
  const data = { via, why }
  await recordTimeline(tx, {
    domain: row,
    kind: 'probe_failed',
    at,
    by: system,
    data,
    sameAs: via + why,
  })
}
