import type { Tx } from '../../database/database.ts'
import type { Change } from '../../events/change-feed.ts'
import type { EventActor } from '../../events/record-event.ts'
import type { ProjectContext } from '../../projects/create-project.ts'
import type { ProjectRow } from '../../projects/project.ts'
import type { DomainRow } from '../domain.ts'
import { recordTimeline } from '../timeline/timeline.ts'
import {
  redirectOf,
  type StoredConfig,
  type StoredRedirect,
  touchedNames,
  withoutRedirectsTo,
} from './domain-config.ts'
import { findConfig, projectSlug } from './store.ts'

/** Tells every edge that these names of a project redirect differently. */
export async function recordTouchedNames(
  { changes }: Pick<ProjectContext, 'changes'>,
  tx: Tx,
  slug: string,
  names: readonly (string | null)[],
): Promise<void> {
  for (const name of names) {
    const change: Change =
      name === null ? { kind: 'project', subject: slug } : { kind: 'domain', subject: name }
    await changes.record(tx, change)
  }
}

/**
 * Tells every edge that a domain starts or stops being served, and with it the redirects to it. Call it last in a
 * transaction.
 */
export async function recordDomainChange(
  context: Pick<ProjectContext, 'changes'>,
  tx: Tx,
  row: Pick<DomainRow, 'hostname' | 'project_id'>,
  { stopped = false }: { stopped?: boolean } = {},
): Promise<void> {
  const slug = await projectSlug(tx, row.project_id)
  const config = await findConfig(tx, row.project_id)
  const { hostname } = row
  await context.changes.record(tx, { kind: stopped ? 'domain_stopped' : 'domain', subject: hostname })
  const redirecting = touchedNames(config, withoutRedirectsTo(config, hostname))
  await recordTouchedNames(context, tx, slug ?? '', redirecting)
}

export interface ConfigChange {
  project: Pick<ProjectRow, 'account_id'>
  before: StoredConfig
  after: StoredConfig
  /** The default subdomain, which is null in a configuration and has no timeline. */
  own: string
  by: EventActor
  at: number
}

/** Records a change of a project's configuration in the timeline of every domain it touches. */
export async function recordConfigChange(tx: Tx, change: ConfigChange): Promise<void> {
  const { project, before, after, own, by, at } = change
  const note = (hostname: string, kind: 'primary_changed' | 'redirect_changed', data: object) => {
    const domain = { account_id: project.account_id, hostname }
    return recordTimeline(tx, { domain, kind, at, by, data: { ...data } })
  }
  if (before.primary !== after.primary) {
    const data = { was: before.primary ?? own, is: after.primary ?? own }
    for (const name of [before.primary, after.primary]) {
      if (name !== null) await note(name, 'primary_changed', data)
    }
  }
  const leadsTo = (redirect: StoredRedirect | undefined) =>
    redirect === undefined ? null : { to: redirect.to ?? own, status: redirect.status }
  for (const from of touchedNames(before, after)) {
    if (from === null) continue
    const was = leadsTo(redirectOf(before.redirects, from))
    const is = leadsTo(redirectOf(after.redirects, from))
    await note(from, 'redirect_changed', { was, is })
  }
}
