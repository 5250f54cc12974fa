import { isWildcard } from '../../dns/domain-name.ts'
import type { AcmeAccount } from '../acme/account.ts'
import { type ChallengeType, challengeTypes } from '../acme/authorization.ts'
import { checkCaaOfAny, type ValidationMethods } from '../caa/caa.ts'
import { caaFailure, delegationFailure, type Failure, wildcardFailure } from '../jobs/failure.ts'
import type { JobRow } from '../jobs/job.ts'
import type { Delegation } from './delegations.ts'
import type { OrderContext } from './order-in-progress.ts'

export interface AllowedChallenges {
  /** Preferred first. */
  challengeTypes: readonly ChallengeType[]
  label: string | null
}

/**
 * The challenge types that the delegation and the CAA records of the name allow, or why they allow none. If the records
 * are unclear we allow all and let the CA decide: its resolvers may see more than ours.
 */
export async function allowedChallengeTypes(
  { identities, caaLookUp, delegations }: Pick<OrderContext, 'identities' | 'caaLookUp' | 'delegations'>,
  job: Pick<JobRow, 'name' | 'challenge_kind' | 'attempts'>,
  account: Pick<AcmeAccount, 'url'>,
): Promise<AllowedChallenges | { failure: Failure }> {
  const delegation = (await delegations?.find(job.name)) ?? null
  const label = delegation?.label ?? null
  if (isWildcard(job.name) && (delegation?.record ?? null) === null) return { failure: wildcardFailure() }
  if (delegation?.isOnlyWay && label === null && delegation.record !== null)
    return { failure: delegationFailure(delegation.record) }
  const question = { identities: await identities.read(), accountUri: account.url }
  const verdict = await checkCaaOfAny(job.name, [question], caaLookUp, async () =>
    validationMethods(delegation),
  )
  if (verdict.kind === 'forbidden') return { failure: caaFailure(verdict) }
  const methods = verdict.kind === 'allowed' ? verdict.methods : null
  const allowed = preferredFirst(usableTypes(delegation), job).filter(
    (type) => methods === null || methods.includes(type),
  )
  return { challengeTypes: allowed, label }
}

/** For CAA records, which may allow some methods only. */
export function validationMethods(delegation: Delegation | null): ValidationMethods {
  const usable = usableTypes(delegation)
  return { usable, delegate: usable.includes('dns-01') ? null : (delegation?.record ?? null) }
}

function usableTypes(delegation: Delegation | null): ChallengeType[] {
  if (delegation?.isOnlyWay) return ['dns-01']
  const isDelegated = delegation !== null && delegation.label !== null
  return challengeTypes.filter((type) => {
    if (type === 'dns-01') return isDelegated
    return !(type === 'tls-alpn-01' && delegation?.isProxied === true)
  })
}

/**
 * With a delegation, dns-01 comes first: it works wherever visitors are sent. After a failure the others have their turn
 * too, because our nameserver may be unreachable where our edge is not.
 */
function preferredFirst(
  types: readonly ChallengeType[],
  { challenge_kind, attempts }: Pick<JobRow, 'challenge_kind' | 'attempts'>,
): ChallengeType[] {
  return types.toSorted((one, other) => rank(one) - rank(other))

  function rank(type: ChallengeType): number {
    if (type === 'dns-01') return attempts % 2 === 0 ? -1 : 2
    return type === challenge_kind ? 0 : 1
  }
}
