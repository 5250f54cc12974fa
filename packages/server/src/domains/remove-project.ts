import { removeProjectIn } from '../deployments/remove-project.ts'
import type { EventActor } from '../events/record-event.ts'
import type { ProjectContext } from '../projects/create-project.ts'
import { lockProject } from '../projects/lock-project.ts'
import type { ProjectRow } from '../projects/project.ts'
import { buryDomain } from './bury-domain.ts'
import { followWithCertificate } from './certificate-need.ts'
import { lockHostnames } from './lock-hostname.ts'
import { domainsOfProject } from './store.ts'

/** Deletes a project with its deployments and its domains. Nothing of it is served from now on. */
export async function removeProject(
  context: ProjectContext,
  { project, by }: { project: ProjectRow; by: EventActor },
): Promise<void> {
  const { database, changes, now } = context
  await database.write(async (tx) => {
    const at = now()
    await lockProject(database, tx, project.id)
    const hostnames = (await domainsOfProject(tx, project.id)).map(({ hostname }) => hostname)
    await lockHostnames(database, tx, hostnames)
    const domains = await domainsOfProject(tx, project.id)
    for (const row of domains) await buryDomain(tx, row, by, at)
    await removeProjectIn(context, tx, { project, by, at })
    for (const hostname of hostnames) await changes.record(tx, { kind: 'domain_stopped', subject: hostname })
    for (const before of domains) await followWithCertificate(context, tx, { before, after: null, at })
  })
}
