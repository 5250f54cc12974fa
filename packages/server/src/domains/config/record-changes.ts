import type { Tx } from '../../database/database.ts'
import type { Change } from '../../events/change-feed.ts'
import type { EventActor } from '../../events/record-event.ts'
import type { ProjectContext } from '../../projects/create-project.ts'
import type { ProjectRow } from '../../projects/project.ts'
import type { DomainRow } from '../domain.ts'
import { recordTimeline } from '../timeline/timeline.ts'
import { redirectOf, type StoredConfig, type StoredRedirect } from './domain-config.ts'
import { findConfig, projectSlug } from './store.ts'

/**
 * Everything that is shown differently once a domain starts or stops being served: the domain, and the names that
 * redirect to it, because a redirect holds only while its target is served.
 */
export function changesForDomain(
  slug: string,
  { redirects }: StoredConfig,
  hostname: string,
  stopped = false,
): Change[] {
  const changes: Change[] = [{ kind: stopped ? 'domain_stopped' : 'domain', subject: hostname }]
  for (const { from, to } of redirects) if (to === hostname) changes.push(changeForName(from, slug))
  return changes
}

/** A name of a project is shown differently. */
export function changeForName(name: string | null, slug: string): Change {
  return name === null ? { kind: 'project', subject: slug } : { kind: 'domain', subject: name }
}

/** Tells every edge that a domain starts or stops being served. The last thing a transaction does. */
export async function recordDomainChange(
  { changes }: Pick<ProjectContext, 'changes'>,
  tx: Tx,
  row: Pick<DomainRow, 'hostname' | 'project_id'>,
  { stopped = false }: { stopped?: boolean } = {},
): Promise<void> {
  const slug = await projectSlug(tx, row.project_id)
  const config = await findConfig(tx, row.project_id)
  for (const change of changesForDomain(slug ?? '', config, row.hostname, stopped))
    await changes.record(tx, change)
}

export interface ConfigChange {
  project: Pick<ProjectRow, 'account_id'>
  before: StoredConfig
  after: StoredConfig
  /** The name that stands for null: the default subdomain, which has no timeline itself. */
  own: string
  by: EventActor
  at: number
}

/** Notes a change of a project's configuration in the timeline of every domain that it concerns: what was, what is. */
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
  for (const from of redirectingDomains(before, after)) {
    const was = leadsTo(redirectOf(before.redirects, from))
    const is = leadsTo(redirectOf(after.redirects, from))
    if (was?.to !== is?.to || was?.status !== is?.status) await note(from, 'redirect_changed', { was, is })
  }
}

function redirectingDomains(...configs: StoredConfig[]): Set<string> {
  return new Set(configs.flatMap(({ redirects }) => redirects.flatMap(({ from }) => from ?? [])))
}
