import { domainStateAfter } from '@masthead/contract/domain-states.ts'
import { findCertificateStates } from '../certificates/certificate-state.ts'
import { system } from '../events/record-event.ts'
import { followWithCertificate } from './certificate-need.ts'
import type { DomainContext } from './context.ts'
import { isServing } from './decide.ts'
import type { DomainRow } from './domain.ts'
import { freeLease } from './lease-store.ts'
import { lockHostname } from './lock-hostname.ts'
import { recordDomainChange } from './record-change.ts'
import { nextCheckAt } from './schedule.ts'
import { findDomainById, updateDomain } from './store.ts'
import { tellChange } from './tell-change.ts'

/** Refused: no certificate will be had. Expired: the one that was there has run out, and no new one came. */
type Loss = 'refused_for_good' | 'certificate_expired'

/** Lets a domain go where the loss of its certificate leads. Tells whether it led anywhere. */
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
    // One may have come, or have been asked for again, at this very moment.
    const status = (await findCertificateStates(tx, [hostname], at)).get(hostname)?.status
    if (status === 'valid' || (loss === 'refused_for_good' && status !== 'failed')) return false
    const state = domainStateAfter(row.state, loss)
    if (state === row.state) return false
    const moved = { state, state_since: at }
    const next_check_at = nextCheckAt({ ...row, ...moved }, 'right', at, Math.random())
    const after = { ...row, ...moved }
    await updateDomain(tx, id, { ...moved, ...freeLease, next_check_at })
    await tellChange(tx, row.state, after, { by: system, at })
    await recordDomainChange(context, tx, row, { stopped: !isServing(after) })
    // What the CA said to refuse it stays with the job, to be read.
    if (loss === 'certificate_expired') {
      await followWithCertificate(context, tx, { before: row, after, at })
    }
    return true
  })
}
