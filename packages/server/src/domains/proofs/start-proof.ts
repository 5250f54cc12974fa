import { plans } from '@masthead/contract/plans.ts'
import type { Proof } from '@masthead/contract/schemas/domains/proof.ts'
import { type AccountRow, maxProofsOf } from '../../accounts/account.ts'
import { lockPlan } from '../../accounts/change-account.ts'
import type { Tx } from '../../database/database.ts'
import { type EventActor, recordEvent } from '../../events/record-event.ts'
import { Problem } from '../../kernel/problem.ts'
import { newToken } from '../../kernel/tokens.ts'
import type { DomainContext } from '../context.ts'
import { describeHostname, readProvable } from '../hostname.ts'
import { findStartedProof } from './account-proving.ts'
import { lockProofs } from './coverage.ts'
import { firstCheckAfter, type ProofInput, restart, toProof } from './proof.ts'
import { findProof, insertProof, type ProofRow, proofsOfAccount, updateProof } from './store.ts'

/** Shows the record that proves a domain. Asked again, it shows the same record. */
export function startProof(
  context: DomainContext,
  { accountId, by, domain: typed }: ProofInput,
): Promise<Proof> {
  const { database, naming, now } = context
  return database.write(async (tx) => {
    const at = now()
    const account = await lockPlan(database, tx, accountId)
    const domain = readDomain(typed, naming)
    await lockProofs(database, tx, domain)
    const existing = await findProof(tx, accountId, domain)
    if (existing !== undefined)
      return toProof((await updateProof(tx, existing, restart(existing, at))) ?? existing)
    refuseBeyondLimit(context, account, (await proofsOfAccount(tx, accountId)).length)
    return toProof(await insertNewProof(tx, { accountId, domain, by, at }))
  })
}

/**
 * Starts the proof that a wildcard needs, so that its record is shown with the others. If the account has no proofs left,
 * the check of the domain says what to do. The caller has locked the plan and the proofs of the domain.
 */
export async function startProofFor(
  tx: Tx,
  account: AccountRow,
  { wildcard, by, at }: { wildcard: string; by: EventActor; at: number },
): Promise<void> {
  const existing = await findStartedProof(tx, account.id, wildcard)
  if (existing !== undefined) {
    await updateProof(tx, existing, restart(existing, at))
    return
  }
  if ((await proofsOfAccount(tx, account.id)).length >= maxProofsOf(account)) return
  const domain = describeHostname(wildcard).registrable
  await insertNewProof(tx, { accountId: account.id, domain, by, at })
}

async function insertNewProof(
  tx: Tx,
  { accountId, domain, by, at }: ProofInput & { at: number },
): Promise<ProofRow> {
  const row: ProofRow = {
    account_id: accountId,
    domain,
    state: 'pending',
    stands: 0,
    token: newToken(),
    created_at: at,
    proved_at: null,
    seen_at: null,
    state_since: at,
    next_check_at: at + firstCheckAfter,
    lease_until: 0,
    last_check: null,
  }
  await insertProof(tx, row)
  await recordEvent(tx, { accountId, type: 'proof.started', by, at, data: { domain } })
  return row
}

/** The field is called `domain` here. */
function readDomain(typed: string, naming: DomainContext['naming']): string {
  try {
    return readProvable(typed, naming)
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    const errors = [{ path: 'domain', message: error.message }]
    throw new Problem(error.code, error.message, { extra: { ...error.extra, errors } })
  }
}

function refuseBeyondLimit({ addresses }: DomainContext, account: AccountRow, proofs: number): void {
  const { plan, id } = account
  const limit = maxProofsOf(account)
  const upgradeUrl = `${addresses.dashboard}/accounts/${id}/plan`
  if (limit === 0) {
    const detail = `Proving a domain requires ${plans.pro.title} or higher. This account is on ${plans[plan].title}.`
    throw new Problem('plan_required', detail, { extra: { plan, requiredPlan: 'pro', upgradeUrl } })
  }
  if (proofs < limit) return
  const detail = `This account has ${proofs} proofs, the most that ${plans[plan].title} allows.`
  throw new Problem('proof_limit_reached', detail, { extra: { limit, plan, upgradeUrl } })
}
