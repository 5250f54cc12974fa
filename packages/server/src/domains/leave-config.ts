import type { Tx } from '../database/database.ts'
import type { ProjectRow } from '../projects/project.ts'
import { findConfig, storeConfig } from './config-store.ts'
import { type Config, type Redirect, withoutDomain } from './domain-config.ts'

/** Takes a domain out of its project's configuration. Tells what that was, and which redirects went with it. */
export async function leaveConfig(
  tx: Tx,
  project: ProjectRow,
  hostname: string,
  at: number,
): Promise<{ before: Config; dropped: Redirect[] }> {
  const before = await findConfig(tx, project.id)
  const { config, dropped } = withoutDomain(before, hostname)
  const left = config.primary !== before.primary || config.redirects.length < before.redirects.length
  if (left) await storeConfig(tx, project.id, config, at)
  return { before, dropped }
}
