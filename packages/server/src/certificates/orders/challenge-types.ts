import type { AcmeAccount } from '../acme/account.ts'
import { type ChallengeType, challengeTypes } from '../acme/authorization.ts'
import { checkCaa } from '../caa/caa.ts'
import { caaFailure, type Failure } from '../jobs/failure.ts'
import type { JobRow } from '../jobs/job.ts'
import type { OrderContext } from './order-in-progress.ts'

/**
 * The challenge types that the CAA records of the name allow, preferred first, or why they allow none. If the records
 * are unclear we allow all and let the CA decide: its resolvers may see more than ours.
 */
export async function allowedChallengeTypes(
  { identities, caaLookUp }: Pick<OrderContext, 'identities' | 'caaLookUp'>,
  { name, challenge_kind }: Pick<JobRow, 'name' | 'challenge_kind'>,
  account: Pick<AcmeAccount, 'url'>,
): Promise<{ challengeTypes: readonly ChallengeType[] } | { failure: Failure }> {
  const verdict = await checkCaa(name, await identities.read(), caaLookUp, {
    accountUri: account.url,
    methods: challengeTypes,
  })
  if (verdict.kind === 'forbidden') return { failure: caaFailure(verdict) }
  const methods = verdict.kind === 'allowed' ? verdict.methods : null
  const preferredFirst = challengeTypes.toSorted((one, other) => rank(one) - rank(other))
  return { challengeTypes: preferredFirst.filter((type) => methods === null || methods.includes(type)) }

  function rank(type: ChallengeType): number {
    return type === challenge_kind ? 0 : 1
  }
}
