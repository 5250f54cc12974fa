import { type ProofState, proofStates } from '@masthead/contract/domains/proofs.ts'
import { domainStates } from '@masthead/contract/domains/states.ts'
import type { Tx } from '../../database/database.ts'
import { isWithin, parentName } from '../../dns/domain-name.ts'
import { type EventActor, recordEvent, system } from '../../events/record-event.ts'
import { newToken } from '../../kernel/tokens.ts'
import type { DomainContext } from '../context.ts'
import { isNewerCheck } from '../domain.ts'
import { describeHostname } from '../hostname.ts'
import { domainsOfAccount, heldByOthers, updateDomain } from '../store.ts'
import { isProvedElsewhere, lockProofs } from './coverage.ts'
import { observeZoneProof, type ZoneProof } from './observe-zone-proof.ts'
import { recordOwnerChanges } from './owner-change.ts'
import { lastProofCheck, nextProofCheckAt, nextProofState } from './proof.ts'
import { findProof, type ProofRow, proofsOfDomain, updateProof } from './store.ts'

export type ProofContext = Pick<DomainContext, 'database' | 'dns' | 'naming' | 'now' | 'changes'>

/** Looks for the record of a proof now and stores what follows. Returns undefined if the proof is gone. */
export async function checkProof(
  context: ProofContext,
  { account_id, domain, token }: Pick<ProofRow, 'account_id' | 'domain' | 'token'>,
  { by, signal }: { by: EventActor; signal?: AbortSignal | undefined },
): Promise<ProofRow | undefined> {
  const { database, dns, now } = context
  const result = await observeZoneProof(dns, { domain, token }, { now: now(), signal })
  const checked = await database.write(async (tx) => {
    await lockProofs(database, tx, domain)
    const before = await findProof(tx, account_id, domain)
    if (before === undefined) return undefined
    // Since DNS was observed, another account may have proved the domain, or a newer check was stored.
    const last = lastProofCheck(before)
    const isOld = last !== null && isNewerCheck(last, result.check, now())
    const after =
      before.token !== token || isOld
        ? ((await updateProof(tx, before, { lease_until: 0 })) ?? before)
        : await applyResult(context, tx, before, { result, by, at: now() })
    return { before, after }
  })
  if (checked === undefined) return undefined
  const { before, after } = checked
  if (after.stands === 1 && before.stands === 0) await hurryDomains(context, after)
  return after
}

async function applyResult(
  context: ProofContext,
  tx: Tx,
  row: ProofRow,
  { result, by, at }: { result: ZoneProof; by: EventActor; at: number },
): Promise<ProofRow> {
  const { check } = result
  const state = (await isTakenBack(tx, row, result)) ? 'ended' : nextProofState(row, check.outcome, at)
  const isMoved = state !== row.state
  if (state === 'proved' && row.stands === 0) await endOthers(tx, row, at)
  const change = {
    state,
    stands: proofStates[state].stands ? 1 : 0,
    state_since: isMoved ? at : row.state_since,
    proved_at: state === 'proved' && row.stands === 0 ? at : row.proved_at,
    seen_at: check.outcome === 'right' ? at : row.seen_at,
    // A value left in DNS must not prove the domain again once the proof has ended.
    token: state === 'ended' && row.stands === 1 ? newToken() : row.token,
    lease_until: 0,
    last_check: JSON.stringify(check),
  }
  const next_check_at = nextProofCheckAt({ ...row, ...change }, check.outcome, at, Math.random())
  const after = (await updateProof(tx, row, { ...change, next_check_at })) ?? row
  const type = isMoved ? eventOf(row, state) : null
  if (type !== null) {
    await recordEvent(tx, { accountId: row.account_id, type, by, at, data: { domain: row.domain } })
  }
  if (after.stands !== row.stands) await recordOwnerChanges(context, tx, [row.domain])
  return after
}

/** The delegation of the zone was withdrawn, and another account has proved the zone it is part of now. */
async function isTakenBack(tx: Tx, row: ProofRow, { partOf }: ZoneProof): Promise<boolean> {
  const above = parentName(row.domain)
  if (partOf === null || above === null || row.stands === 0) return false
  return isProvedElsewhere(tx, row.account_id, above)
}

function eventOf({ state: before }: ProofRow, after: ProofState) {
  if (after === 'proved') return before === 'drifted' ? 'proof.recovered' : 'proof.found'
  if (after === 'drifted') return 'proof.drifted'
  return after === 'ended' ? 'proof.ended' : null
}

/** A fresh proof ends the one of another account, and voids the tokens of all others. */
async function endOthers(tx: Tx, { account_id, domain }: ProofRow, at: number): Promise<void> {
  for (const other of await proofsOfDomain(tx, domain)) {
    if (other.account_id === account_id) continue
    const ended = { state: 'ended', stands: 0, state_since: at, next_check_at: null } as const
    await updateProof(tx, other, { token: newToken(), ...(other.stands === 1 ? ended : {}) })
    if (other.stands === 0) continue
    const event = { accountId: other.account_id, by: system, at, data: { domain } }
    await recordEvent(tx, { ...event, type: 'proof.lost' })
  }
}

/** Domains that wait for DNS may need nothing more than this new proof, and those of others may have lost their record. */
async function hurryDomains(
  { database, now }: Pick<DomainContext, 'database' | 'now'>,
  { account_id, domain }: ProofRow,
): Promise<void> {
  const own = await domainsOfAccount(database.read, account_id)
  const waiting = own.filter(({ state }) => state === 'pending')
  const others = await heldByOthers(database.read, account_id, describeHostname(domain).registrable)
  const watched = others.filter(({ state }) => domainStates[state].checked !== 'no')
  for (const { id, hostname } of [...waiting, ...watched]) {
    if (isWithin(hostname, domain))
      await database.write((tx) => updateDomain(tx, id, { next_check_at: now() }))
  }
}
