import { domainStates } from '@masthead/contract/domains/states.ts'
import {
  type CertificateAccount,
  cancelCertificate,
  requestCertificate,
} from '../../certificates/jobs/request-certificate.ts'
import type { Tx } from '../../database/database.ts'
import type { ProjectContext } from '../../projects/create-project.ts'
import { type DomainRow, isServing } from '../domain.ts'

type HeldState = Pick<DomainRow, 'held' | 'state'>

/** Whose share of the CA's limits a domain uses. Only paid plans have active domains. */
export function certificateAccount({ account_id: id }: Pick<DomainRow, 'account_id'>): CertificateAccount {
  return { id, isPaying: true }
}

/**
 * Whether a name's certificate should be requested or dropped when a domain changes. `after` is null if the domain was
 * removed. A claim that never held the name has no influence.
 */
export function certificateNeed(before: HeldState, after: HeldState | null): 'get' | 'drop' | null {
  if (after === null || after.held === 0) return before.held === 1 ? 'drop' : null
  if (isUnchecked(after)) return isUnchecked(before) ? null : 'drop'
  // Also after recovering: requesting an existing certificate makes the worker check that it is still good.
  const recovered = before.state === 'drifted' && after.state === 'live'
  return isServing(after) && (!isServing(before) || recovered) ? 'get' : null
}

/** Not checked until someone asks for it. */
function isUnchecked({ state }: HeldState): boolean {
  return domainStates[state].checked === 'no'
}

/** Requests or drops the certificate. Call it last in the transaction that changes the domain. */
export async function applyCertificateNeed(
  context: Pick<ProjectContext, 'changes'>,
  tx: Tx,
  {
    before,
    after,
    at,
  }: {
    before: HeldState & Pick<DomainRow, 'hostname' | 'account_id'>
    after: HeldState | null
    at: number
  },
): Promise<void> {
  const name = before.hostname
  const need = certificateNeed(before, after)
  if (need === 'drop') await cancelCertificate(context, tx, name)
  if (need === 'get') {
    await requestCertificate(context, tx, { name, reason: 'first', at, account: certificateAccount(before) })
  }
}
