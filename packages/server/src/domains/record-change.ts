import type { Tx } from '../database/database.ts'
import type { Change } from '../events/change-feed.ts'
import type { ProjectContext } from '../projects/create-project.ts'
import { findConfig } from './config-store.ts'
import type { DomainRow } from './domain.ts'
import type { Config } from './domain-config.ts'
import { projectSlug } from './route-store.ts'

/**
 * Everything that is shown differently once a domain starts or stops being served: the domain, and the names that
 * redirect to it, because a redirect holds only while its target is served.
 */
export function changesWith(
  slug: string,
  { redirects }: Config,
  hostname: string,
  stopped = false,
): Change[] {
  const changes: Change[] = [{ kind: stopped ? 'domain_stopped' : 'domain', subject: hostname }]
  for (const { from, to } of redirects) if (to === hostname) changes.push(changeOf(from, slug))
  return changes
}

/** A name of a project is shown differently. */
export function changeOf(name: string | null, slug: string): Change {
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
  for (const change of changesWith(slug ?? '', config, row.hostname, stopped))
    await changes.record(tx, change)
}
