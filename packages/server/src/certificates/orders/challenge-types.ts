import { isWildcard } from '../../dns/domain-name.ts'
import type { AcmeAccount } from '../acme/account.ts'
import { type ChallengeType, challengeTypes } from '../acme/authorization.ts'
import { checkCaa } from '../caa/caa.ts'
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
  if (isWildcard(job.name) && delegation === null) return { failure: wildcardFailure() }
  if (delegation?.isOnlyWay && label === null) return { failure: delegationFailure(delegation.record) }
  const usable = usableTypes(job, delegation)
  const verdict = await checkCaa(job.name, await identities.read(), caaLookUp, {
    accountUri: account.url,
    methods: usable,
  })
  if (verdict.kind === 'forbidden') return { failure: caaFailure(verdict) }
  const methods = verdict.kind === 'allowed' ? verdict.methods : null
  return { challengeTypes: usable.filter((type) => methods === null || methods.includes(type)), label }
}

/**
 * With a delegation, dns-01 comes first: it works wherever visitors are sent. After a failure the others have their turn
 * too, because our nameserver may be unreachable where our edge is not.
 */
function usableTypes(
  { challenge_kind, attempts }: Pick<JobRow, 'challenge_kind' | 'attempts'>,
  delegation: Delegation | null,
): ChallengeType[] {
  if (delegation?.isOnlyWay) return ['dns-01']
  const direct = challengeTypes
    .filter((type) => type !== 'dns-01' && !(type === 'tls-alpn-01' && delegation?.isProxied === true))
    .toSorted((one, other) => rank(one) - rank(other))
  if (delegation === null || delegation.label === null) return direct
  return attempts % 2 === 0 ? ['dns-01', ...direct] : [...direct, 'dns-01']

  function rank(type: ChallengeType): number {
    return type === challenge_kind ? 0 : 1
  }
}
