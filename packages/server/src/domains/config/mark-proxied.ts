import type { ProxyProvider } from '@masthead/contract/domains/proxy-providers.ts'
import { domainStates } from '@masthead/contract/domains/states.ts'
import { type EventActor, recordEvent } from '../../events/record-event.ts'
import type { ProjectRow } from '../../projects/project.ts'
import type { DomainContext } from '../context.ts'
import { type DomainRow, noSuchDomain } from '../domain.ts'
import { lockHostname } from '../locks.ts'
import { findDomain, updateDomain } from '../store.ts'
import { recordTimeline } from '../timeline/timeline.ts'

export interface MarkProxied {
  project: ProjectRow
  hostname: string
  /** Null: no longer behind a proxy. */
  proxied: ProxyProvider | null
  by: EventActor
}

/**
 * Marks a domain as behind a proxy. That alone changes neither who holds the name nor what is served: the check that
 * follows does, by what DNS proves then.
 */
export function markProxied(
  { database, changes, now }: DomainContext,
  { project, hostname, proxied, by }: MarkProxied,
): Promise<DomainRow> {
  return database.write(async (tx) => {
    const at = now()
    await lockHostname(database, tx, hostname)
    const row = await findDomain(tx, project.id, hostname)
    if (row === undefined) throw noSuchDomain(project, hostname)
    if (row.proxy === proxied) return row
    const isChecked = domainStates[row.state].checked !== 'no'
    const changed = await updateDomain(tx, row.id, {
      proxy: proxied,
      ...proofAfter(row, proxied),
      ...(isChecked && { next_check_at: at }),
    })
    const kind = proxied === null ? 'unproxied' : 'proxied'
    await recordTimeline(tx, { domain: row, kind, at, by, data: { provider: proxied } })
    const event = { accountId: row.account_id, projectId: row.project_id, by, at }
    await recordEvent(tx, { ...event, type: 'domain.proxied_changed', data: { hostname, provider: proxied } })
    await changes.record(tx, { kind: 'domain', subject: hostname })
    return changed ?? row
  })
}

/** What proved a subdomain behind one proxy says nothing about it without, where its CNAME has to. */
function proofAfter(
  { kind, state, held, proxy }: DomainRow,
  proxied: ProxyProvider | null,
): Partial<DomainRow> {
  if (kind !== 'subdomain') return {}
  if (proxied === null) return { proof: null, proof_due_at: null, proof_noticed_at: null }
  // The delegation has this claim's own label.
  return proxy === null && state === 'prepared' && held === 1 ? { proof: 'delegation' } : {}
}
