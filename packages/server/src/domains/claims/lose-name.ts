import { findings } from '@masthead/contract/domains/findings.ts'
import { domainStates, nextDomainState } from '@masthead/contract/domains/states.ts'
import type { Finding } from '@masthead/contract/schemas/domains/dns-check.ts'
import type { Tx } from '../../database/database.ts'
import { recordEvent, system } from '../../events/record-event.ts'
import { isoTime } from '../../kernel/clock.ts'
import { newToken } from '../../kernel/tokens.ts'
import { type DomainRow, lastCheckOf, type StoredCheck } from '../domain.ts'
import { findClaims, updateDomain } from '../store.ts'
import { recordTimeline } from '../timeline/timeline.ts'

/** Takes the name from its holder, because another account has proved it. */
export async function loseName(tx: Tx, row: DomainRow, at: number): Promise<void> {
  const state = nextDomainState(row.state, 'name_lost')
  await updateDomain(tx, row.id, {
    held: 0,
    state,
    state_since: state === row.state ? row.state_since : at,
    // A claim that still waits for DNS keeps waiting: it may prove the name later.
    next_check_at: domainStates[state].checked === 'searching' ? row.next_check_at : null,
    last_check: JSON.stringify(lostCheck(row, at)),
    proof: null,
    proof_due_at: null,
    proof_noticed_at: null,
  })
  const { hostname, account_id: accountId, project_id: projectId } = row
  await recordTimeline(tx, { domain: row, kind: 'lost', at, by: system })
  await recordEvent(tx, { accountId, projectId, type: 'domain.lost', by: system, at, data: { hostname } })
}

/**
 * Replaces the tokens of all other claims once a name is proved. Otherwise old values left in DNS could take it away
 * again.
 */
export async function voidOtherTokens(tx: Tx, { id, hostname }: DomainRow): Promise<void> {
  for (const other of await findClaims(tx, hostname)) {
    if (other.id !== id) await updateDomain(tx, other.id, { challenge: newToken() })
  }
}

/** Does not say which account it is. */
function heldElsewhere(hostname: string): Finding {
  return {
    code: 'held_elsewhere',
    effect: findings.held_elsewhere.effect,
    message: `Another account proved that it owns ${hostname}, so it is no longer served here.`,
    fix: 'If you own it, verify it: the check shows what to set in its DNS.',
  }
}

function lostCheck(row: DomainRow, at: number): StoredCheck {
  const last = lastCheckOf(row)
  return {
    check: {
      at: isoTime(at),
      ok: false,
      outcome: 'wrong',
      findings: [heldElsewhere(row.hostname)],
      changes: [],
      zone: last?.check.zone ?? null,
      provider: last?.check.provider ?? null,
      source: last?.check.source ?? 'authoritative',
      nameservers: [],
    },
    // Their status is no longer known, so they show as unchecked.
    records: [],
  }
}
