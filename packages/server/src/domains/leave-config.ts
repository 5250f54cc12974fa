import type { Tx } from '../database/database.ts'
import type { EventActor } from '../events/record-event.ts'
import type { ProjectRow } from '../projects/project.ts'
import { findConfig, storeConfig } from './config-store.ts'
import type { DomainContext } from './context.ts'
import { type Config, type Redirect, withoutDomain } from './domain-config.ts'
import { defaultSubdomain } from './read-config.ts'
import { recordConfigChange } from './record-config-change.ts'

export interface Leaving {
  project: ProjectRow
  hostname: string
  by: EventActor
  at: number
}

/** Takes a domain out of its project's configuration. Tells what that was, and which redirects went with it. */
export async function leaveConfig(
  { naming }: Pick<DomainContext, 'naming'>,
  tx: Tx,
  { project, hostname, by, at }: Leaving,
): Promise<{ before: Config; dropped: Redirect[] }> {
  const before = await findConfig(tx, project.id)
  const { config: after, dropped } = withoutDomain(before, hostname)
  if (after.primary !== before.primary || after.redirects.length < before.redirects.length) {
    await storeConfig(tx, project.id, after, at)
    await recordConfigChange(tx, { project, before, after, own: defaultSubdomain(project, naming), by, at })
  }
  return { before, dropped }
}
