import type { AcmeAccount } from '../acme/account.ts'
import { type ChallengeType, challengeTypes } from '../acme/authorization.ts'
import { checkCaa } from '../caa/caa.ts'
import { caaFailure, type Failure } from '../jobs/failure.ts'
import type { JobRow } from '../jobs/job-store.ts'
import type { OrderContext } from './order-in-progress.ts'

/**
 * How the name may be proved to the CA by its CAA records, the best way first; or why they allow none. Where they
 * are unclear the CA is asked: its nameservers may see more than ours.
 */
export async function allowedChallengeTypes(
  { identities, caaLookUp }: Pick<OrderContext, 'identities' | 'caaLookUp'>,
  { name, challenge_kind }: Pick<JobRow, 'name' | 'challenge_kind'>,
  account: Pick<AcmeAccount, 'url'>,
): Promise<{ ways: readonly ChallengeType[] } | { failure: Failure }> {
  const verdict = await checkCaa(name, await identities.read(), caaLookUp, {
    accountUri: account.url,
    methods: challengeTypes,
  })
  if (verdict.kind === 'forbidden') return { failure: caaFailure(verdict) }
  const methods = verdict.kind === 'allowed' ? verdict.methods : null
  const best = challengeTypes.toSorted((one, other) => rank(one) - rank(other))
  return { ways: best.filter((type) => methods === null || methods.includes(type)) }

  function rank(type: ChallengeType): number {
    return type === challenge_kind ? 0 : 1
  }
}
