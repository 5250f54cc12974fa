import type { RemovedDomain } from '@masthead/contract/schemas/domain.ts'
import { isoTime } from '../clock.ts'
import type { EventActor } from '../events/record-event.ts'
import { lockProject } from '../projects/lock-project.ts'
import type { ProjectRow } from '../projects/project.ts'
import { buryDomain } from './bury-domain.ts'
import { followWithCertificate } from './certificate-need.ts'
import type { DomainContext } from './context.ts'
import { leaveConfig } from './leave-config.ts'
import { lockHostname } from './lock-hostname.ts'
import { defaultSubdomain } from './read-config.ts'
import { noSuchDomain } from './read-domain.ts'
import { changeOf } from './record-change.ts'
import { removalWarnings } from './removal-warnings.ts'
import { findDomain } from './store.ts'

/** The domain stops being served at once; what led to it in the project's configuration goes with it. */
export function removeDomain(
  context: DomainContext,
  { project, hostname, by }: { project: ProjectRow; hostname: string; by: EventActor },
): Promise<RemovedDomain> {
  const { database, changes, naming, now } = context
  return database.write(async (tx) => {
    const at = now()
    const current = await lockProject(database, tx, project.id)
    await lockHostname(database, tx, hostname)
    const row = await findDomain(tx, project.id, hostname)
    if (current === undefined || row === undefined) throw noSuchDomain(project, hostname)
    const left = await leaveConfig(context, tx, { project: current, hostname, by, at })
    await buryDomain(tx, row, by, at)
    await changes.record(tx, { kind: 'domain_stopped', subject: hostname })
    for (const { from } of left.dropped) await changes.record(tx, changeOf(from, current.slug))
    await followWithCertificate(context, tx, { before: row, after: null, at })
    const warnings = removalWarnings(row, left, defaultSubdomain(current, naming))
    return { hostname, removedAt: isoTime(at), warnings }
  })
}
