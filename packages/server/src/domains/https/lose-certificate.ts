import { nextDomainState } from '@masthead/contract/domains/states.ts'
import { findCertificateStates } from '../../certificates/certificate-state.ts'
import { system } from '../../events/record-event.ts'
import { recordDomainChange } from '../config/record-changes.ts'
import type { DomainContext } from '../context.ts'
import { type DomainRow, isServing } from '../domain.ts'
import { noLease } from '../lease-store.ts'
import { lockHostname } from '../locks.ts'
import { nextCheckAt } from '../schedule.ts'
import { findDomainById, updateDomain } from '../store.ts'
import { recordTransition } from '../timeline/record-transition.ts'
import { recordTimeline } from '../timeline/timeline.ts'
import { applyCertificateNeed } from './certificate-need.ts'

/** Refused: no certificate will be issued. Expired: the old one expired before a new one was issued. */
type Loss = 'refused_for_good' | 'certificate_expired'

/** Applies the loss of a certificate to its domain. Returns whether the state changed. */
export function loseCertificate(
  context: DomainContext,
  { id, hostname }: Pick<DomainRow, 'id' | 'hostname'>,
  loss: Loss,
): Promise<boolean> {
  const { database, now } = context
  return database.write(async (tx) => {
    await lockHostname(database, tx, hostname)
    const row = await findDomainById(tx, id)
    if (row === undefined || !isServing(row)) return false
    const at = now()
    // A certificate may have been issued or requested again in the meantime.
    const status = (await findCertificateStates(tx, [hostname], at)).get(hostname)?.status
    if (status === 'valid' || (loss === 'refused_for_good' && status !== 'failed')) return false
    const state = nextDomainState(row.state, loss)
    if (state === row.state) return false
    const moved = { state, state_since: at, ...(state === 'pending' && { searching_since: at }) }
    const next_check_at = nextCheckAt({ ...row, ...moved }, 'right', at, Math.random())
    const after = { ...row, ...moved }
    await updateDomain(tx, id, { ...moved, ...noLease, next_check_at })
    // Its challenges may still be delegated to us.
    const isUnprepared = row.state === 'prepared' && loss === 'certificate_expired'
    if (isUnprepared) await recordTimeline(tx, { domain: row, kind: loss, at, by: system })
    else await recordTransition(tx, row.state, after, { by: system, at })
    await recordDomainChange(context, tx, row, { stopped: !isServing(after) })
    // After a refusal the job stays, because it holds the CA's reason.
    if (loss === 'certificate_expired') {
      await applyCertificateNeed(context, tx, { before: row, after, at })
    }
    return true
  })
}
