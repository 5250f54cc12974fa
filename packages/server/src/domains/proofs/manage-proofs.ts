import { plans } from '@masthead/contract/plans.ts'
import type { Proof } from '@masthead/contract/schemas/domains/proof.ts'
import type { Id, Page } from '@masthead/contract/schemas/fields.ts'
import { type AccountRow, maxProofsOf } from '../../accounts/account.ts'
import { lockPlan } from '../../accounts/change-account.ts'
import type { Tx } from '../../database/database.ts'
import { type PageRequest, readCursor, toPage } from '../../database/list-query.ts'
import { isWithin } from '../../dns/domain-name.ts'
import { type EventActor, recordEvent } from '../../events/record-event.ts'
import { second } from '../../kernel/clock.ts'
import { Problem } from '../../kernel/problem.ts'
import { singleFlight } from '../../kernel/single-flight.ts'
import { newToken } from '../../kernel/tokens.ts'
import type { DomainContext } from '../context.ts'
import { describeHostname, normalizeHostname, readProvable } from '../hostname.ts'
import { domainsOfAccount, updateDomain } from '../store.ts'
import { findStartedProof } from './account-proving.ts'
import { checkProof } from './check-proof.ts'
import { lockProofs } from './coverage.ts'
import { recordOwnerChange } from './owner-change.ts'
import { noSuchProof, toProof } from './proof.ts'
import {
  deleteProof,
  deleteProofsOf,
  findProof,
  insertProof,
  type ProofRow,
  proofsOfAccount,
  updateProof,
} from './store.ts'

interface Whose {
  accountId: Id<'account'>
  by: EventActor
  /** As typed. */
  domain: string
}

/** Leaves time to set the record that the response shows. */
const firstCheckAfter = 10 * second

export async function listProofs(
  { database }: Pick<DomainContext, 'database'>,
  accountId: Id<'account'>,
  { cursor, limit }: PageRequest,
): Promise<Page<Proof>> {
  const after = readCursor(cursor)
  const rows = await proofsOfAccount(database.read, accountId)
  const wanted = rows.filter(({ domain }) => after === undefined || domain > after)
  return toPage(wanted, limit, ({ domain }) => domain, toProof)
}

/** Shows the record that proves a domain. Asked again, it shows the same record. */
export function startProof(context: DomainContext, { accountId, by, domain: typed }: Whose): Promise<Proof> {
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
  { accountId, domain, by, at }: Whose & { at: number },
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

/** What looks for the record again if automatic checks had ended. */
function restart({ state }: ProofRow, at: number): Partial<ProofRow> {
  if (state !== 'ended') return { next_check_at: at }
  return { state: 'pending', state_since: at, next_check_at: at + firstCheckAfter }
}

/** Checks DNS now. Concurrent requests for the same proof share one check. */
export async function verifyProof(
  context: DomainContext,
  { accountId, by, domain: typed }: Whose,
): Promise<Proof> {
  const { database, now } = context
  const { domain } = await readProof(context, accountId, typed)
  const row = await database.write(async (tx) => {
    await lockProofs(database, tx, domain)
    const before = await findProof(tx, accountId, domain)
    if (before === undefined) throw noSuchProof(domain)
    return (await updateProof(tx, before, restart(before, now()))) ?? before
  })
  const checks = checksOf(context)
  const after = await checks(`${accountId} ${row.domain} ${row.token}`, row, by)
  if (after === undefined) throw noSuchProof(row.domain)
  if (after.stands === 1 && row.stands === 0) await hurryDomains(context, after)
  return toProof(after)
}

type SharedChecks = (key: string, row: ProofRow, by: EventActor) => Promise<ProofRow | undefined>
const sharedChecks = new WeakMap<object, SharedChecks>()
const maxAtOnce = 200

function checksOf(context: DomainContext): SharedChecks {
  const known = sharedChecks.get(context.dns)
  if (known !== undefined) return known
  let running = 0
  const checks = singleFlight(async (_key: string, row: ProofRow, by: EventActor) => {
    if (running >= maxAtOnce) throw busy()
    running++
    try {
      return await checkProof(context, row, { by })
    } finally {
      running--
    }
  })
  sharedChecks.set(context.dns, checks)
  return checks
}

function busy(): Problem {
  return new Problem('unavailable', 'Too many domains are being checked at the moment.', {
    headers: { 'Retry-After': '5' },
  })
}

/** Its domains that wait for DNS may need nothing more, so they are checked now. */
export async function hurryDomains(
  { database, now }: Pick<DomainContext, 'database' | 'now'>,
  { account_id, domain }: ProofRow,
): Promise<void> {
  const rows = await domainsOfAccount(database.read, account_id)
  const waiting = rows.filter(({ hostname, state }) => state === 'pending' && isWithin(hostname, domain))
  for (const { id } of waiting) {
    await database.write((tx) => updateDomain(tx, id, { next_check_at: now() }))
  }
}

export async function removeProof(
  context: DomainContext,
  { accountId, by, domain: typed }: Whose,
): Promise<void> {
  const { database, now } = context
  const { domain } = await readProof(context, accountId, typed)
  await database.write(async (tx) => {
    await lockProofs(database, tx, domain)
    const row = await findProof(tx, accountId, domain)
    if (row === undefined) throw noSuchProof(domain)
    await deleteProof(tx, row)
    await recordEvent(tx, { accountId, type: 'proof.removed', by, at: now(), data: { domain } })
    if (row.stands === 1) await recordOwnerChange(context, tx, domain)
  })
}

export async function readProof(
  { database }: Pick<DomainContext, 'database'>,
  accountId: Id<'account'>,
  typed: string,
): Promise<ProofRow> {
  const domain = normalizeHostname(typed)
  const row = domain === null ? undefined : await findProof(database.read, accountId, domain)
  if (row === undefined) throw noSuchProof(typed)
  return row
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

/** For an account that is deleted. */
export async function removeAllProofs(
  context: Pick<DomainContext, 'changes' | 'now'>,
  tx: Tx,
  accountId: Id<'account'>,
): Promise<void> {
  const standing = (await proofsOfAccount(tx, accountId)).filter(({ stands }) => stands === 1)
  await deleteProofsOf(tx, accountId)
  for (const { domain } of standing) await recordOwnerChange(context, tx, domain)
}
