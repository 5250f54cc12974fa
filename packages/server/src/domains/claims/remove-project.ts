import { cancelCertificates } from '../../certificates/jobs/request-certificate.ts'
import { removeProjectIn } from '../../deployments/remove-deployments.ts'
import type { EventActor } from '../../events/record-event.ts'
import { revokeKeysOfProject } from '../../keys/manage-keys.ts'
import { lockProject } from '../../projects/change-project.ts'
import type { ProjectRow } from '../../projects/project.ts'
import type { DomainContext } from '../context.ts'
import { applyCertificateNeed } from '../https/certificate-need.ts'
import { lockHostnames } from '../locks.ts'
import { domainsOfProject } from '../store.ts'
import { replaceWithTombstone } from './tombstones.ts'

/** Deletes a project with its deployments and domains. None of it is served afterwards. */
export async function removeProject(
  context: Pick<DomainContext, 'database' | 'changes' | 'now' | 'addresses'>,
  { project, by }: { project: ProjectRow; by: EventActor },
): Promise<void> {
  const { database, changes, now, addresses } = context
  await database.write(async (tx) => {
    const at = now()
    const { slug } = (await lockProject(database, tx, project.id)) ?? project
    const hostnames = (await domainsOfProject(tx, project.id)).map(({ hostname }) => hostname)
    await lockHostnames(database, tx, hostnames)
    const domains = await domainsOfProject(tx, project.id)
    for (const row of domains) await replaceWithTombstone(tx, row, by, at)
    await revokeKeysOfProject(tx, { accountId: project.account_id, projectId: project.id })
    const deployments = await removeProjectIn(context, tx, { project, by, at })
    for (const hostname of hostnames) await changes.record(tx, { kind: 'domain_stopped', subject: hostname })
    for (const before of domains) await applyCertificateNeed(context, tx, { before, after: null, at })
    const own = [addresses.project(slug), ...deployments.map((id) => addresses.preview(id, slug))]
    await cancelCertificates(
      context,
      tx,
      own.map((address) => new URL(address).hostname),
    )
  })
}
