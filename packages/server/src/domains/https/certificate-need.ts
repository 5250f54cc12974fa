import { domainStates } from '@masthead/contract/domains/states.ts'
import {
  type CertificateAccount,
  cancelCertificate,
  requestCertificate,
} from '../../certificates/jobs/request-certificate.ts'
import type { Tx } from '../../database/database.ts'
import type { ProjectContext } from '../../projects/create-project.ts'
import type { DomainRow } from '../domain.ts'
import { isServing } from '../transitions.ts'

type HeldState = Pick<DomainRow, 'held' | 'state'>

/** Whose share of the CA's limits a domain uses. Only paid plans have domains: others have theirs suspended. */
export function certificateAccount({ account_id: id }: Pick<DomainRow, 'account_id'>): CertificateAccount {
  return { id, isPaying: true }
}

/**
 * What becomes of the certificate of a name when a domain changes; `null` after it: the domain was removed. Somebody
 * who never held the name has no say in it.
 */
export function certificateNeed(before: HeldState, after: HeldState | null): 'get' | 'drop' | null {
  if (after === null || after.held === 0) return before.held === 1 ? 'drop' : null
  if (isUnchecked(after)) return isUnchecked(before) ? null : 'drop'
  // Where one is in store already, it is looked at whether it is served.
  const recovered = before.state === 'drifted' && after.state === 'live'
  return isServing(after) && (!isServing(before) || recovered) ? 'get' : null
}

/** Nothing is done for it until somebody does something. */
function isUnchecked({ state }: HeldState): boolean {
  return domainStates[state].checked === 'no'
}

/** Carries that out, in the transaction that changes the domain. The last thing it does. */
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
